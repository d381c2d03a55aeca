import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Place } from "../policy-file/diagnostic.ts";

/** A value in a file, with where it stands. */
export type JsoncNode = JsoncObject | JsoncList | JsoncScalar;

interface JsoncObject {
  readonly kind: "object";
  readonly place: Place;
  readonly entries: readonly JsoncEntry[];
}

export interface JsoncEntry {
  readonly key: string;
  readonly keyLocation: Place;
  readonly value: JsoncNode;
}

interface JsoncList {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly JsoncNode[];
}

interface JsoncScalar {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: string | number | boolean | null;
}

interface JsoncError {
  readonly place: Place;
  readonly message: string;
}

export type ReadJsonc =
  | { readonly root: JsoncNode; readonly errors: readonly [] }
  | { readonly root?: undefined; readonly errors: readonly JsoncError[] };

const MOST_ERRORS = 20;

/** Reads JSON with comments and trailing commas. A key that is there twice is a fault: nobody could tell which counts. */
export function readJsonc(text: string): ReadJsonc {
  const parseErrors: ParseError[] = [];
  const placeOf = placesIn(text);
  const tree = parsed(text, parseErrors);
  if (tree === undefined && parseErrors.length === 0) {
    return {
      errors: [{ place: placeOf(0), message: "The file is empty or nested too deeply. Write `{}`." }],
    };
  }
  if (tree === undefined || parseErrors.length > 0) {
    const errors = parseErrors.slice(0, MOST_ERRORS).map(({ error, offset }) => ({
      place: placeOf(offset),
      message: `This is no JSON: ${words(printParseErrorCode(error))}.`,
    }));
    return { errors };
  }
  const errors: JsoncError[] = [];
  const root = toNode(tree, placeOf, errors);
  return errors.length > 0 ? { errors } : { root, errors: [] };
}

/** The plain value of a node. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

function parsed(text: string, parseErrors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, parseErrors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser calls itself for each level, and the stack is finite.
    parseErrors.length = 0;
    return undefined;
  }
}

type PlaceOf = (offset: number) => Place;

function toNode(node: Node, placeOf: PlaceOf, errors: JsoncError[]): JsoncNode {
  const place = placeOf(node.offset);
  if (node.type === "array") {
    return { kind: "list", place, items: (node.children ?? []).map((item) => toNode(item, placeOf, errors)) };
  }
  if (node.type !== "object") return { kind: "scalar", place, value: node.value };
  const seen = new Set<string>();
  const entries = (node.children ?? []).flatMap(({ children = [] }) => {
    const [name, value] = children;
    if (name === undefined || value === undefined) return [];
    const key = String(name.value);
    const keyLocation = placeOf(name.offset);
    if (seen.has(key)) errors.push({ place: keyLocation, message: `${JSON.stringify(key)} is there twice.` });
    if (key === "__proto__")
      errors.push({ place: keyLocation, message: "Nothing may be called `__proto__`." });
    seen.add(key);
    return [{ key, keyLocation, value: toNode(value, placeOf, errors) }];
  });
  return { kind: "object", place, entries };
}

function placesIn(text: string): PlaceOf {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** `ValueExpected` as words. */
function words(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
