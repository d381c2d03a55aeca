import { readBashGrammar } from "./bash-grammar.ts";

/** One node of the tree, copied out of the parser's own memory. */
export interface BashNode {
  readonly type: string;
  /** A rule of the grammar, and no bare sign or keyword. */
  readonly isNamed: boolean;
  /** It is, or contains, what the parser did not understand or inserted itself. */
  readonly isBroken: boolean;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly BashNode[];
}

/** Takes a text apart. Must throw where it cannot. */
export type ParseBash = (text: string) => BashNode;

const LONGEST_PARSE_MS = 250;
const LONGEST_LOAD_MS = 5_000;

let loaded: ParseBash | undefined;
let loading: Promise<ParseBash> | undefined;

/**
 * The parser that tree-sitter makes of its grammar of bash. It is loaded when it is first asked for, and
 * kept. Where that fails it is tried again the next time.
 *
 * @throws whatever loading throws, or an error when it takes too long.
 */
export async function loadTreeSitterBash(): Promise<ParseBash> {
  if (loaded !== undefined) return loaded;
  loading ??= load();
  try {
    loaded = await inTime(loading, LONGEST_LOAD_MS);
    return loaded;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<ParseBash> {
  const { library, grammar, wasmBinary } = readBashGrammar();
  const { Language, Parser } = library;
  const own = wasmBinary && { locateFile: (file: string) => file, wasmBinary };
  await (own === undefined ? Parser.init() : Parser.init(own));
  const language = await Language.load(grammar);
  const parser = new Parser();
  parser.setLanguage(language);
  return (text) => {
    const deadline = performance.now() + LONGEST_PARSE_MS;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (tree === null) {
      // Otherwise the next text would continue this one.
      parser.reset();
      throw new Error(`It took longer than ${LONGEST_PARSE_MS} ms.`);
    }
    try {
      return copied(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

/** The part of a node that is looked at. */
interface ForeignNode {
  readonly type: string;
  readonly isNamed: boolean;
  readonly hasError: boolean;
  readonly isMissing: boolean;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly children: readonly (ForeignNode | null)[];
}

function copied(node: ForeignNode): BashNode {
  const { type, isNamed, text, startIndex, endIndex } = node;
  return {
    type,
    isNamed,
    isBroken: node.hasError || node.isMissing,
    text,
    start: startIndex,
    end: endIndex,
    children: node.children.flatMap((child) => (child === null ? [] : [copied(child)])),
  };
}

async function inTime<Value>(value: Promise<Value>, milliseconds: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const isLate = () => reject(new Error(`It was not loaded within ${milliseconds} ms.`));
    timer = setTimeout(isLate, milliseconds);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
