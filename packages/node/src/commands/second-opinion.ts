import type { BashNode, ParseBash } from "./tree-sitter-bash.ts";

/** The commands of a line as another parser sees them, or why it sees something else. */
export type SecondOpinion =
  | {
      readonly commands: readonly (readonly string[])[];
      /** What separates them, except for the ends of lines. */
      readonly operators: readonly string[];
    }
  | { readonly commands?: undefined; readonly reason: string };

/**
 * How an independent parser reads a line. Only commands of plain args are accepted; whatever else is in the tree is a
 * reason. Never throws: a parser that fails, or is missing, is a reason too.
 */
export async function secondOpinion(
  line: string,
  { home, load }: { readonly home: string; readonly load: () => Promise<ParseBash> },
): Promise<SecondOpinion> {
  let root: BashNode;
  try {
    const parse = await load();
    root = parse(line);
  } catch {
    return { reason: "the second parser of command lines failed" };
  }
  const seen: Seen = { home, commands: [], operators: [] };
  const isPlain = !root.isBroken && root.type === "program" && root.children.every((one) => see(one, seen));
  return isPlain ? seen : { reason: "a second parser finds more in it than plain commands" };
}

interface Seen {
  readonly home: string;
  readonly commands: (readonly string[])[];
  readonly operators: string[];
}

const LISTS: ReadonlySet<string> = new Set(["list", "pipeline"]);
const OPERATORS: ReadonlySet<string> = new Set(["&&", "||", ";", "|"]);

/** Whether a node contains only plain commands; those are added to what was seen. */
function see(node: BashNode, seen: Seen): boolean {
  const { type, isNamed, children } = node;
  if (!isNamed) {
    if (OPERATORS.has(type)) seen.operators.push(type);
    return OPERATORS.has(type) || type === "\n";
  }
  if (LISTS.has(type)) return children.every((child) => see(child, seen));
  const argv = type === "command" ? wordsOfCommand(node, seen.home) : wordsOfTest(node, seen.home);
  if (argv === undefined) return false;
  seen.commands.push(argv);
  return true;
}

function wordsOfCommand({ children }: BashNode, home: string): readonly string[] | undefined {
  const [name, ...rest] = children;
  const [argNode, ...more] = name?.children ?? [];
  if (name?.type !== "command_name" || argNode === undefined || more.length > 0) return undefined;
  return valuesOf([argNode, ...rest], home);
}

/** To this parser `[ … ]` is an expression; to a shell its parts are args like any others. */
function wordsOfTest(node: BashNode, home: string): readonly string[] | undefined {
  const isTest = node.type === "test_command" && node.children[0]?.type === "[";
  if (!isTest) return undefined;
  const leaves = leavesOf(node);
  // Parts that touch are one argument, which this parser has split by a meaning they do not have.
  const isTouching = leaves.some((leaf, index) => index > 0 && leaves[index - 1]?.end === leaf.start);
  return isTouching ? undefined : valuesOf(leaves, home);
}

const EXPRESSIONS: ReadonlySet<string> = new Set(["test_command", "unary_expression", "binary_expression"]);

function leavesOf(node: BashNode): readonly BashNode[] {
  return EXPRESSIONS.has(node.type) ? node.children.flatMap(leavesOf) : [node];
}

function valuesOf(argNodes: readonly BashNode[], home: string): readonly string[] | undefined {
  const values = argNodes.map((argNode) => valueOfArg(argNode, home));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function valueOfArg(argNode: BashNode, home: string): string | undefined {
  const value = unquoted(argNode);
  if (value === undefined || !/^~(?:\/|$)/.test(argNode.text)) return value;
  return `${home}${value.slice(1)}`;
}

const BARE: ReadonlySet<string> = new Set(["word", "number", "test_operator"]);

/** The text without its quotes, by our own rules; `undefined` for what a shell would still expand. */
function unquoted({ type, isNamed, text, children }: BashNode): string | undefined {
  if (type === "raw_string") return text.slice(1, -1);
  if (type === "string") return isPlainString(children) ? text.slice(1, -1) : undefined;
  if (type === "concatenation") {
    const parts = children.map(unquoted);
    return parts.every((part) => part !== undefined) ? parts.join("") : undefined;
  }
  const isBare = BARE.has(type) || !isNamed;
  return isBare && children.length === 0 && !/["'\\$`]/.test(text) ? text : undefined;
}

function isPlainString(children: readonly BashNode[]): boolean {
  return children.every(({ type }) => type === '"' || type === "string_content");
}
