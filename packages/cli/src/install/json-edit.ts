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
import { CommandFault } from "../terminal/command-fault.ts";

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
    throw new CommandFault(`${file} is not JSON that can be edited.`, {
      hint: "Mend it first; nothing was changed.",
    });
  }
  return root;
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
    return { text: changed(text, [...path], value), edit };
  }
  const isNew = !Array.isArray(before);
  const next = isNew ? changed(text, [...path], [value]) : inserted(text, [...path, before.length], value);
  return { text: next, edit: { kind: "append", path, value, made: isNew ? [...made, path] : made } };
}

/** Takes a change back. Says what it could not find as it was left. */
export function takeBack(text: string, edit: JsonEdit): { readonly text: string; readonly left?: string } {
  const now = valueAt(text, edit.path);
  if (edit.kind === "append") {
    const index = Array.isArray(now) ? now.findIndex((one) => isDeepStrictEqual(one, edit.value)) : -1;
    if (index < 0) return { text, left: `\`${edit.path.join(".")}\` does not hold our entry any more` };
    return { text: withoutEmpty(changed(text, [...edit.path, index], undefined), edit.made) };
  }
  if (!isDeepStrictEqual(now, edit.value)) {
    return { text, left: `\`${edit.path.join(".")}\` is not as it was left, and stays` };
  }
  return { text: withoutEmpty(changed(text, [...edit.path], edit.before), edit.made) };
}

/** What we made around it goes when nothing is in it. */
function withoutEmpty(text: string, made: JsonEdit["made"]): string {
  let next = text;
  for (const path of made.toReversed()) {
    const value = valueAt(next, path);
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (isEmpty) next = changed(next, [...path], undefined);
  }
  return next;
}

function missingAbove(text: string, path: readonly string[]): readonly (readonly string[])[] {
  const above = path.slice(0, -1).map((_, index) => path.slice(0, index + 1));
  return above.filter((one) => valueAt(text, one) === undefined);
}

function changed(text: string, path: JSONPath, value: unknown): string {
  const start = text.trim() === "" ? "{}\n" : text;
  return applyEdits(start, modify(start, path, value, { formattingOptions: formatOf(text) }));
}

function inserted(text: string, path: JSONPath, value: unknown): string {
  const options = { formattingOptions: formatOf(text), isArrayInsertion: true };
  return applyEdits(text, modify(text, path, value, options));
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
