import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A position in a text file. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value in a file, with its position. */
export type JsoncNode = JsoncObject | JsoncList | JsoncScalar;

interface JsoncObject {
  readonly kind: "object";
  readonly position: Position;
  readonly entries: readonly JsoncEntry[];
}

export interface JsoncEntry {
  readonly key: string;
  readonly keyPosition: Position;
  readonly value: JsoncNode;
}

interface JsoncList {
  readonly kind: "list";
  readonly position: Position;
  readonly items: readonly JsoncNode[];
}

interface JsoncScalar {
  readonly kind: "scalar";
  readonly position: Position;
  readonly value: string | number | boolean | null;
}

interface JsoncError {
  readonly position: Position;
  readonly message: string;
}

export type ReadJsonc =
  | { readonly root: JsoncNode; readonly errors: readonly [] }
  | { readonly root?: undefined; readonly errors: readonly [JsoncError, ...JsoncError[]] };

const MOST_ERRORS = 20;
/** No configuration needs more, and code that walks a value recurses by level. */
const DEEPEST = 100;

/**
 * Reads JSON with comments and trailing commas, in time linear in its length. Never throws. A key that occurs twice is
 * an error, because programs differ in which of the two they use; so are `__proto__` and more than 100 levels.
 */
export function readJsonc(written: string): ReadJsonc {
  const text = written.replace(/^\uFEFF/, "");
  const parseErrors: ParseError[] = [];
  const positionAt = positionsIn(text);
  const tree = parsed(text, parseErrors);
  const [first, ...others] = parseErrors.slice(0, MOST_ERRORS).map(({ error, offset }) => ({
    position: positionAt(offset),
    message: `This is not JSON: ${spaced(printParseErrorCode(error))}.`,
  }));
  if (first !== undefined) return { errors: [first, ...others] };
  if (tree === undefined) {
    const message = "The file is empty or nested too deeply. Write `{}`.";
    return { errors: [{ position: positionAt(0), message }] };
  }
  const reading: Reading = { positionAt, errors: [] };
  const root = toNode(tree, 1, reading);
  const [error, ...more] = reading.errors;
  return error === undefined ? { root, errors: [] } : { errors: [error, ...more] };
}

/** The plain value of a node. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

/** The position of a value by its keys and indices; of a missing one, that of the nearest value around it. */
export function positionOf(root: JsoncNode, path: readonly (string | number)[]): Position {
  let { position } = root;
  let node: JsoncNode | undefined = root;
  for (const step of path) {
    if (node.kind === "scalar") return position;
    const entry: JsoncEntry | undefined =
      node.kind === "object" ? node.entries.find(({ key }) => key === step) : undefined;
    const next: JsoncNode | undefined = node.kind === "list" ? node.items[Number(step)] : entry?.value;
    if (next === undefined) return position;
    position = entry?.keyPosition ?? next.position;
    node = next;
  }
  return position;
}

function parsed(text: string, parseErrors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, parseErrors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser recurses for each level, and the stack is finite.
    parseErrors.length = 0;
    return undefined;
  }
}

interface Reading {
  readonly positionAt: (offset: number) => Position;
  readonly errors: JsoncError[];
}

function toNode(node: Node, depth: number, reading: Reading): JsoncNode {
  const position = reading.positionAt(node.offset);
  if (depth > DEEPEST) {
    reading.errors.push({ position, message: `It is nested too deeply: more than ${DEEPEST} levels.` });
    return { kind: "scalar", position, value: null };
  }
  if (node.type === "array") {
    const items = (node.children ?? []).map((item) => toNode(item, depth + 1, reading));
    return { kind: "list", position, items };
  }
  if (node.type !== "object") return { kind: "scalar", position, value: node.value };
  const seen = new Set<string>();
  const entries = (node.children ?? []).flatMap(({ children = [] }) => {
    const [name, value] = children;
    if (name === undefined || value === undefined) return [];
    const key = String(name.value);
    const keyPosition = reading.positionAt(name.offset);
    const error = keyError(key, seen);
    if (error !== undefined) reading.errors.push({ position: keyPosition, message: error });
    seen.add(key);
    return [{ key, keyPosition, value: toNode(value, depth + 1, reading) }];
  });
  return { kind: "object", position, entries };
}

function keyError(key: string, seen: ReadonlySet<string>): string | undefined {
  if (seen.has(key)) return `The key ${JSON.stringify(key.slice(0, 100))} occurs twice.`;
  return key === "__proto__" ? "The key `__proto__` is not allowed." : undefined;
}

/** Finds positions by bisection: there may be many lines, and a position is asked for every node. */
function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** `ValueExpected` as "value expected". */
function spaced(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
