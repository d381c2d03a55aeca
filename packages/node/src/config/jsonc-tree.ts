import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Place } from "../policy-file/problem.ts";

/** A value in a file, with where it stands. */
export type JsoncNode = JsoncObject | JsoncList | JsoncScalar;

interface JsoncObject {
  readonly kind: "object";
  readonly place: Place;
  readonly entries: readonly JsoncEntry[];
}

export interface JsoncEntry {
  readonly key: string;
  readonly keyPlace: Place;
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

interface JsoncFault {
  readonly place: Place;
  readonly message: string;
}

export type ReadJsonc =
  | { readonly root: JsoncNode; readonly faults: readonly [] }
  | { readonly root?: undefined; readonly faults: readonly JsoncFault[] };

const MOST_FAULTS = 20;

/** Reads JSON with comments and trailing commas. A key that is there twice is a fault: nobody could tell which counts. */
export function readJsonc(text: string): ReadJsonc {
  const errors: ParseError[] = [];
  const placeOf = placesIn(text);
  const tree = parsed(text, errors);
  if (tree === undefined && errors.length === 0) {
    return {
      faults: [{ place: placeOf(0), message: "The file is empty or nested too deeply. Write `{}`." }],
    };
  }
  if (tree === undefined || errors.length > 0) {
    const faults = errors.slice(0, MOST_FAULTS).map(({ error, offset }) => ({
      place: placeOf(offset),
      message: `This is no JSON: ${words(printParseErrorCode(error))}.`,
    }));
    return { faults };
  }
  const faults: JsoncFault[] = [];
  const root = toNode(tree, placeOf, faults);
  return faults.length > 0 ? { faults } : { root, faults: [] };
}

/** The plain value of a node. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

function parsed(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser calls itself for each level, and the stack is finite.
    errors.length = 0;
    return undefined;
  }
}

type PlaceOf = (offset: number) => Place;

function toNode(node: Node, placeOf: PlaceOf, faults: JsoncFault[]): JsoncNode {
  const place = placeOf(node.offset);
  if (node.type === "array") {
    return { kind: "list", place, items: (node.children ?? []).map((item) => toNode(item, placeOf, faults)) };
  }
  if (node.type !== "object") return { kind: "scalar", place, value: node.value };
  const seen = new Set<string>();
  const entries = (node.children ?? []).flatMap(({ children = [] }) => {
    const [name, value] = children;
    if (name === undefined || value === undefined) return [];
    const key = String(name.value);
    const keyPlace = placeOf(name.offset);
    if (seen.has(key)) faults.push({ place: keyPlace, message: `${JSON.stringify(key)} is there twice.` });
    if (key === "__proto__") faults.push({ place: keyPlace, message: "Nothing may be called `__proto__`." });
    seen.add(key);
    return [{ key, keyPlace, value: toNode(value, placeOf, faults) }];
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
