import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { CommandError } from "../terminal/command-error.ts";

/** One change of ours in a client's file, with what is needed to take it back. */
export type JsonEdit =
  /** `value` left out: it is removed. `before` left out: there was none. */
  | {
      readonly kind: "set";
      readonly path: readonly string[];
      readonly value?: unknown;
      readonly before?: unknown;
      readonly made: readonly (readonly string[])[];
    }
  | {
      readonly kind: "append";
      readonly path: readonly string[];
      readonly value: unknown;
      readonly made: readonly (readonly string[])[];
    };

export interface WantedEdit {
  readonly kind: JsonEdit["kind"];
  readonly path: readonly string[];
  readonly value?: unknown;
}

/** Parses a file as clients write it: comments and trailing commas are theirs. @throws CommandFault */
export function parseClientFile(text: string, file: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  if (errors.length > 0 || root?.type !== "object") {
    throw new CommandError(`${file} is not JSON that can be edited.`, {
      hint: "Mend it first; nothing was changed.",
    });
  }
  const key = unclearKey(root);
  if (key !== undefined) {
    throw new CommandError(`${file} has the key ${JSON.stringify(key)} twice, or one that is not possible.`, {
      hint: "Nobody could tell which of them the client takes. Mend it first; nothing was changed.",
    });
  }
  return root;
}

/** A key that is there twice in one object, or that is more than a key to some readers. */
function unclearKey(root: Node): string | undefined {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const key = node.type === "object" ? unclearKeyOf(node) : undefined;
    if (key !== undefined) return key;
    open.push(...(node.children ?? []));
  }
  return undefined;
}

function unclearKeyOf({ children = [] }: Node): string | undefined {
  const seen = new Set(["__proto__"]);
  for (const { children: [name] = [] } of children) {
    const key = String(name?.value);
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/**
 * The members of the object at a place, as every reader would find them; none where nothing is there.
 * `undefined` for a text that is no JSON, or that readers could take for different things on the way there.
 */
export function clearEntries(
  text: string,
  path: readonly string[],
): ReadonlyMap<string, unknown> | undefined {
  if (text.trim() === "") return new Map();
  const errors: ParseError[] = [];
  let node = parsedTree(text, errors);
  if (errors.length > 0 || node === undefined) return undefined;
  for (const name of path) {
    if (node.type !== "object" || unclearKeyOf(node) !== undefined) return undefined;
    const found: Node | undefined = findNodeAtLocation(node, [name]);
    if (found === undefined) return new Map();
    node = found;
  }
  if (node.type !== "object" || unclearKey(node) !== undefined) return undefined;
  return new Map(Object.entries(JSON.parse(JSON.stringify(getNodeValue(node)))));
}

/** The parser calls itself for each level, and the stack is finite. */
function parsedTree(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  } catch {
    return undefined;
  }
}

/** What stands at a place in a text; `undefined` for nothing. */
export function valueAt(text: string, path: readonly string[]): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  // As any other value: the parser's objects have no prototype, and would be equal to nothing.
  return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
}

/** Makes a change in a text and nothing else in it; gives the change as it must be kept. */
export function makeEdit(
  text: string,
  wanted: WantedEdit,
): { readonly text: string; readonly edit: JsonEdit } {
  const { path, value } = wanted;
  const made = missingAbove(text, path);
  const before = valueAt(text, path);
  if (wanted.kind === "set") {
    const edit = { kind: "set" as const, path, made, ...optional({ value, before }) };
    return { text: changed(text, { path, value }), edit };
  }
  const isNew = !Array.isArray(before);
  const next = isNew
    ? changed(text, { path, value: [value] })
    : changed(text, { path: [...path, before.length], value, isInsertion: true });
  return { text: next, edit: { kind: "append", path, value, made: isNew ? [...made, path] : made } };
}

/** Takes a change back. Says what it could not find as it was left. */
export function takeBack(text: string, edit: JsonEdit): { readonly text: string; readonly left?: string } {
  const now = valueAt(text, edit.path);
  if (edit.kind === "append") {
    const index = Array.isArray(now) ? now.findIndex((one) => isDeepStrictEqual(one, edit.value)) : -1;
    if (index < 0) return { text, left: `\`${edit.path.join(".")}\` does not hold our entry any more` };
    return { text: withoutEmpty(changed(text, { path: [...edit.path, index] }), edit.made) };
  }
  if (!isDeepStrictEqual(now, edit.value)) {
    return { text, left: `\`${edit.path.join(".")}\` is not as it was left, and stays` };
  }
  return { text: withoutEmpty(changed(text, { path: edit.path, value: edit.before }), edit.made) };
}

/** What we made around it goes when nothing is in it. */
function withoutEmpty(text: string, made: JsonEdit["made"]): string {
  let next = text;
  for (const path of made.toReversed()) {
    const value = valueAt(next, path);
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (isEmpty) next = changed(next, { path });
  }
  return next;
}

function missingAbove(text: string, path: readonly string[]): readonly (readonly string[])[] {
  const above = path.slice(0, -1).map((_, index) => path.slice(0, index + 1));
  return above.filter((one) => valueAt(text, one) === undefined);
}

interface TextEdit {
  readonly path: Readonly<JSONPath>;
  /** Left out: what is there goes. */
  readonly value?: unknown;
  readonly isInsertion?: boolean;
}

function changed(text: string, { path, value, isInsertion = false }: TextEdit): string {
  const start = text.trim() === "" ? "{}\n" : text;
  const options = { formattingOptions: formatOf(text), isArrayInsertion: isInsertion };
  return applyEdits(start, modify(start, [...path], value, options));
}

/** As the file is written already. */
function formatOf(text: string): FormattingOptions {
  const indent = /^([\t ]+)\S/m.exec(text)?.[1] ?? "  ";
  const insertSpaces = !indent.startsWith("\t");
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 1,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function optional(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
