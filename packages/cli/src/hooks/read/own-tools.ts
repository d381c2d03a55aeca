import { isSecretFile } from "@toolkeep/core/internal";
import type { DryRunCall } from "../../clients/hook-call.ts";
import { type Fields, isFields, textIn, textsIn } from "../../clients/payload.ts";
import { FILES, FILTERS, FOLDERS, PATHS, PATTERNS, URLS } from "./argument-names.ts";

/**
 * Reads a call of a client's tool as calls of ours; `undefined` if the arguments do not say what it does. It needs the
 * argument names of the client's tool. Other names that clients use for the same argument are evaluated too, because
 * the client may accept them.
 */
export type ToolReading = (input: Fields) => readonly DryRunCall[] | undefined;

/** A call with more targets than this becomes unknown. */
const MOST_CALLS = 64;

/** A command line, in the directory under one of these names. */
export function runs(...folderNames: readonly string[]): ToolReading {
  return bounded((input) => {
    const command = textIn(input, "command");
    const folders = foldersIn(input, { names: folderNames, aliases: FOLDERS });
    if (command === undefined || folders === undefined) return undefined;
    return folders.map((workdir) => ({
      tool: "bash",
      arguments: { command, ...(workdir === undefined ? {} : { workdir }) },
    }));
  });
}

export function reads(...names: readonly string[]): ToolReading {
  return onPaths("read", { names });
}

export function deletes(...names: readonly string[]): ToolReading {
  return onPaths("delete", { names });
}

export function writes(...names: readonly string[]): ToolReading {
  return onPaths("write", { names, newTextAs: "content" });
}

/** Changes an existing file: it is read and written. */
export function edits(...names: readonly string[]): ToolReading {
  const reading = onPaths("edit", { names, newTextAs: "new_string" });
  return (input) =>
    reading(input)?.map(({ tool, arguments: args }) => ({
      tool,
      arguments: String(args["path"]).endsWith("package.json") ? { ...args, edits: editsIn(input) } : args,
    }));
}

/** The replacements in a `package.json`, where it matters which scripts change. */
function editsIn(input: Fields): readonly Fields[] {
  const list = Array.isArray(input["edits"]) ? input["edits"].filter(isFields) : [input];
  return list.map((one) => ({
    old_string: onlyOf(one, ["old_string", "old_str", "oldString"]),
    new_string: onlyOf(one, ["new_string", "new_str", "newString"]),
    replace_all: onlyOf(one, ["replace_all", "replaceAll"]),
  }));
}

/** The value under the only one of these names that is there: the client may use either of two. */
function onlyOf(input: Fields, names: readonly string[]): unknown {
  const found = names.filter((name) => Object.hasOwn(input, name));
  return found.length === 1 ? input[found[0] ?? ""] : undefined;
}

/** A file of its own making, if the arguments name one. */
export function writesIfNamed(...names: readonly string[]): ToolReading {
  const reading = writes(...names);
  return (input) => {
    const named = textsIn(input, [...names, ...FILES]);
    if (named === undefined) return undefined;
    return named.length === 0 ? [] : reading({ ...input, [names[0] ?? "path"]: named[0] });
  };
}

/** Every file of a list, which may contain patterns. */
export function readsMany(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const all = textsIn(input, [...names, ...FILES]);
    if (named === undefined || all === undefined || named.length === 0) return undefined;
    const calls = all.map((pattern) => partCalls("grep", pattern));
    return calls.some((one) => one === undefined) ? undefined : calls.flatMap((one) => one ?? []);
  });
}

/** The names of files in a tree that match a pattern. */
export function looksThrough(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const folders = foldersIn(input, { names, aliases: PATHS });
    const parts = textsIn(input, PATTERNS)?.map(searchedPart);
    if (folders === undefined || parts === undefined) return undefined;
    if (parts.some((part) => part === undefined)) return undefined;
    if (parts.length === 0) return folders.map((folder) => treeCall("glob", folder));
    return folders.flatMap((folder) => parts.map((part) => treeCall("glob", joined(folder, part ?? ""))));
  });
}

/** The names in one folder. */
export function lists(...names: readonly string[]): ToolReading {
  return bounded((input) =>
    foldersIn(input, { names, aliases: PATHS })?.map((folder) => treeCall("list", folder)),
  );
}

/** The lines of files in a tree. A filter that names a secret file reads it. */
export function searches(...names: readonly string[]): ToolReading {
  return searching(names, {});
}

/** The same for a search whose argument `glob` is given to ripgrep, so that it can leave out files. */
export function searchesByGlob(...names: readonly string[]): ToolReading {
  return searching(names, { hasGlob: true });
}

function searching(names: readonly string[], more: DryRunCall["arguments"]): ToolReading {
  return bounded((input) => {
    const folders = foldersIn(input, { names, aliases: PATHS });
    const filters = textsIn(input, FILTERS);
    if (folders === undefined || filters === undefined) return undefined;
    // Only the name of the file, because a pattern may stand before it.
    const secrets = filters
      .filter((filter) => !filter.startsWith("!") && isSecretFile(filter))
      .map((filter) => filter.replace(/^.*\//, ""));
    return folders.flatMap((folder) => [
      searchCall(folder, filters, more),
      ...secrets.map((filter) => ({ tool: "read" as const, arguments: { path: joined(folder, filter) } })),
    ]);
  });
}

/** Clients pass these to ripgrep, where a comma or a blank may stand between several. */
function searchCall(
  path: string | undefined,
  filters: readonly string[],
  more: DryRunCall["arguments"],
): DryRunCall {
  const globs = filters.flatMap((filter) => (/[{}]/.test(filter) ? [filter] : filter.split(/[\s,]+/)));
  const { arguments: args } = treeCall("grep", path);
  return { tool: "grep", arguments: { ...args, ...more, ...(globs.length === 0 ? {} : { globs }) } };
}

export function fetches(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const all = textsIn(input, [...names, ...URLS]);
    return named === undefined || named.length === 0 ? undefined : all?.map(fetchCall);
  });
}

/** Every URL of the arguments and in the prompt; unknown if there is none. */
export const fetchesFromPrompt: ToolReading = bounded((input) => {
  const urls = textsIn(input, URLS);
  const prompts = textsIn(input, ["prompt"]);
  if (urls === undefined || prompts === undefined) return undefined;
  const found = prompts.flatMap((prompt) => prompt.match(/https?:\/\/[^\s"'<>)\]}]+/gi) ?? []);
  // What stands between blanks may be one address as a whole.
  const whole = prompts.flatMap((prompt) => prompt.split(/\s+/).filter(isWebAddress));
  const all = [...new Set([...urls, ...found, ...whole])];
  return all.length === 0 ? undefined : all.map(fetchCall);
});

function isWebAddress(text: string): boolean {
  return text.includes("://") && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export const searchesTheWeb: ToolReading = (input) => [
  { tool: "web_search", arguments: { query: textIn(input, "query", "search_term") ?? "" } },
];

/** A file whose content the conversation has already is not read again. */
export function unlessKnown(
  { file, known }: { readonly file: string; known(): string },
  reading: ToolReading,
): ToolReading {
  return (input) => (input[file] === known() && Object.keys(input).length === 1 ? [] : reading(input));
}

/** No effects outside of the conversation: lists, plans, questions, and subagents, whose calls have their own hooks. */
export const staysInside: ToolReading = () => [];

interface PathNames {
  readonly names: readonly string[];
  /** The argument of our tool for the new text. */
  readonly newTextAs?: "content" | "new_string";
}

function onPaths(tool: "read" | "write" | "edit" | "delete", { names, newTextAs }: PathNames): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const parts = [input, ...editsOf(input)].map((one) => textsIn(one, [...names, ...FILES]));
    if (named === undefined || named.length === 0 || parts.includes(undefined)) return undefined;
    const all = new Set(parts.flatMap((texts) => texts ?? []));
    const more = newTextAs === undefined ? {} : { [newTextAs]: newTexts(input) };
    return [...all].map((path) => ({ tool, arguments: { path, ...more } }));
  });
}

/** `undefined` in the list is the working directory. */
function foldersIn(
  input: Fields,
  { names, aliases }: { readonly names: readonly string[]; readonly aliases: readonly string[] },
): readonly (string | undefined)[] | undefined {
  const named = textsIn(input, names);
  const all = textsIn(input, [...names, ...aliases]);
  if (named === undefined || all === undefined) return undefined;
  return named.length === 0 ? [undefined, ...all] : all;
}

function partCalls(tool: "grep", pattern: string): readonly DryRunCall[] | undefined {
  const part = searchedPart(pattern);
  if (part === undefined) return undefined;
  const call = treeCall(tool, part === "" ? undefined : part);
  return isSecretFile(pattern) ? [call, { tool: "read", arguments: { path: pattern } }] : [call];
}

function treeCall(tool: "glob" | "grep" | "list", path: string | undefined): DryRunCall {
  return { tool, arguments: path === undefined ? {} : { path } };
}

function fetchCall(url: string): DryRunCall {
  return { tool: "web_fetch", arguments: { url } };
}

function joined(folder: string | undefined, part: string): string | undefined {
  if (part === "" || folder === undefined) return part === "" ? folder : part;
  return /^(?:\/|~)/.test(part) ? part : `${folder}/${part}`;
}

/** The changes of a tool that makes several in one call. */
function editsOf(input: Fields): readonly Fields[] {
  return Array.isArray(input["edits"]) ? input["edits"].filter(isFields) : [];
}

/** All new text of the file, which is searched for secrets. */
function newTexts(input: Fields): string {
  const names = [
    ...["content", "contents", "file_text", "new_source", "code_edit"],
    ...["new_string", "new_str", "newString"],
  ];
  return [input, ...editsOf(input)]
    .flatMap((one) => names.flatMap((name) => textIn(one, name) ?? []))
    .join("\n");
}

function bounded(reading: ToolReading): ToolReading {
  return (input) => {
    const calls = reading(input);
    return calls === undefined || calls.length > MOST_CALLS ? undefined : calls;
  };
}

const WILD = /[*?[{(!]/;
/** An alternative of a pattern that may be an absolute path or `..`. */
const LEADS_ELSEWHERE = /[{,(|]\s*(?:\/|~|\.\.)|(?:^|\/)\.\.(?:\/|$)/;

/** What contains all matches of a pattern; empty for the base of the search, `undefined` if some may be elsewhere. */
export function searchedPart(pattern: string): string | undefined {
  const names = pattern.split("/");
  const first = names.findIndex((name) => WILD.test(name));
  if (first === -1) return pattern;
  if (LEADS_ELSEWHERE.test(names.slice(first).join("/"))) return undefined;
  const part = names.slice(0, first).join("/");
  return part === "" && pattern.startsWith("/") ? "/" : part;
}
