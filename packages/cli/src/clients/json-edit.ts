import { isDeepStrictEqual } from "node:util";
import { defined, unlessThrown } from "@toolkeep/core/internal";
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

/** One of our changes in a client's file, with the data to undo it. */
export type JsonEdit =
  /** Without `value`, the key is removed. Without `before`, it did not exist. */
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

/** Parses JSON with comments and trailing commas, as clients write it. @throws CommandError */
export function parseClientFile(text: string, file: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  if (errors.length > 0 || root?.type !== "object") {
    throw new CommandError(`${file} is not valid JSON.`, {
      hint: `Fix ${file} first. Nothing was changed.`,
    });
  }
  const key = unclearKey(root);
  if (key !== undefined) {
    throw new CommandError(
      `${file} has the key ${JSON.stringify(key)} twice, or a key that is not allowed.`,
      {
        hint: `The client may read another value than Toolkeep. Fix ${file} first. Nothing was changed.`,
      },
    );
  }
  return root;
}

/** A duplicate key, or one that some parsers treat specially. */
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

/** The members of an object as every parser reads them, if any; `undefined` for what parsers may read differently. */
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

/** The parser is recursive and may overflow the stack. */
function parsedTree(text: string, errors: ParseError[]): Node | undefined {
  return unlessThrown(() => parseTree(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true }));
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(text: string, path: readonly string[]): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  // The objects of the parser have no prototype, which `isDeepStrictEqual` treats as a difference.
  return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
}

/** Applies one change to a text. Returns the new text, and the change with the data to undo it. */
export function makeEdit(
  text: string,
  wanted: WantedEdit,
): { readonly text: string; readonly edit: JsonEdit } {
  const { path, value } = wanted;
  const made = missingAbove(text, path);
  const before = valueAt(text, path);
  if (wanted.kind === "set") {
    const edit = { kind: "set" as const, path, made, ...defined({ value, before }) };
    return { text: changed(text, { path, value }), edit };
  }
  const isNew = !Array.isArray(before);
  const next = isNew
    ? changed(text, { path, value: [value] })
    : changed(text, { path: [...path, before.length], value, isInsertion: true });
  return { text: next, edit: { kind: "append", path, value, made: isNew ? [...made, path] : made } };
}

/** Undoes a change. `conflict` says what was edited since, and stays. */
export function undoEdit(
  text: string,
  edit: JsonEdit,
): { readonly text: string; readonly conflict?: string } {
  const now = valueAt(text, edit.path);
  if (edit.kind === "append") {
    const index = Array.isArray(now) ? now.findIndex((one) => isDeepStrictEqual(one, edit.value)) : -1;
    if (index < 0) return { text, conflict: `\`${edit.path.join(".")}\` no longer contains our entry` };
    return { text: withoutEmpty(changed(text, { path: [...edit.path, index] }), edit.made) };
  }
  if (now === undefined && edit.before === undefined) return { text: withoutEmpty(text, edit.made) };
  if (!isDeepStrictEqual(now, edit.value)) {
    return { text, conflict: `\`${edit.path.join(".")}\` was edited since and stays` };
  }
  return { text: withoutEmpty(changed(text, { path: edit.path, value: edit.before }), edit.made) };
}

/** Removes the objects and lists that we created and that are empty now. */
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
  /** Absent: the value is removed. */
  readonly value?: unknown;
  readonly isInsertion?: boolean;
}

function changed(text: string, { path, value, isInsertion = false }: TextEdit): string {
  const start = text.trim() === "" ? "{}\n" : text;
  const options = { formattingOptions: formatOf(text), isArrayInsertion: isInsertion };
  return applyEdits(start, modify(start, [...path], value, options));
}

/** The indentation and line ends of the file. */
function formatOf(text: string): FormattingOptions {
  const indent = /^([\t ]+)\S/m.exec(text)?.[1] ?? "  ";
  const insertSpaces = !indent.startsWith("\t");
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 1,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
