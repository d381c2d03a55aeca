import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** What a file says, or why nobody can tell. */
export type ReadJsonc =
  | { readonly value: unknown; lineOf(path: readonly (string | number)[]): number }
  | { readonly error: string; readonly line: number };

/** No configuration needs more, and whoever goes through a value goes by levels. */
const DEEPEST = 100;

/**
 * Reads JSON with comments and trailing commas, in time in proportion to its length. Never throws. A key that is there
 * twice is a fault: nobody could tell which counts.
 */
export function readJsonc(text: string): ReadJsonc {
  try {
    return read(text);
  } catch (error) {
    // The parser calls itself for each level, and the stack is finite.
    if (error instanceof RangeError) return { error: "it is nested too deeply", line: 1 };
    throw error;
  }
}

function read(written: string): ReadJsonc {
  const text = written.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const lineAt = lineFinder(text);
  const root = parseTree(text, errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  const [error] = errors;
  if (error !== undefined) {
    return {
      error: `this is no JSON: ${errorText(printParseErrorCode(error.error))}`,
      line: lineAt(error.offset),
    };
  }
  if (root === undefined) return { error: "it is empty", line: 1 };
  const bad = badNode(root);
  if (bad !== undefined) return { error: bad.error, line: lineAt(bad.node.offset) };
  return {
    value: getNodeValue(root),
    lineOf: (path) => lineAt(nearestNode(root, path).offset),
  };
}

/** Goes through the text once, however many lines are asked for. */
function lineFinder(text: string): (offset: number) => number {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

interface BadNode {
  readonly node: Node;
  readonly error: string;
}

function badNode(root: Node): BadNode | undefined {
  const open: [node: Node, depth: number][] = [[root, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    if (depth > DEEPEST) return { node, error: `it is nested too deeply: more than ${DEEPEST} levels` };
    const twin = node.type === "object" ? badKey(node) : undefined;
    if (twin !== undefined)
      return {
        node: twin,
        error: `the key ${JSON.stringify(String(twin.value).slice(0, 100))} is there twice or not possible`,
      };
    const { children = [] } = node;
    // A property is no level of its own; its first child is its name.
    if (node.type === "property") {
      if (children[1] !== undefined) open.push([children[1], depth + 1]);
    } else for (const child of children) open.push([child, child.type === "property" ? depth : depth + 1]);
  }
  return undefined;
}

function badKey({ children = [] }: Node): Node | undefined {
  const seen = new Set<unknown>(["__proto__"]);
  for (const { children: [name] = [] } of children) {
    if (name !== undefined && seen.has(name.value)) return name;
    seen.add(name?.value);
  }
  return undefined;
}

/** Of what is not there, what it would be in. */
function nearestNode(root: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found !== undefined) return found.parent?.type === "property" ? found.parent : found;
  }
  return root;
}

/** `ValueExpected` as words. */
function errorText(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
