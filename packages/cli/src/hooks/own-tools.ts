import { isSecretFile } from "@toolkeep/core/internal";
import type { DryRunCall } from "./hook-call.ts";
import { type Fields, isFields, textIn, textsIn } from "./payload.ts";
import { searchedPart } from "./searched-part.ts";

/**
 * Says what a call of a client's tool would do; `undefined` where its arguments do not say. It needs the names that
 * the client's tool has; what stands under another name that is known for the same thing is judged as well, because
 * nobody knows which of them counts.
 */
export type ToolReading = (input: Fields) => readonly DryRunCall[] | undefined;

const FILES = [
  "file_path",
  "path",
  "absolute_path",
  "target_file",
  "notebook_path",
  "target_notebook",
  "file_paths",
];
const FOLDERS = ["dir_path", "directory", "target_directory", "working_directory", "workdir", "cwd"];
const PLACES = [...FOLDERS, "path"];
const PATTERNS = ["pattern", "glob_pattern"];
const FILTERS = ["glob", "include", "include_pattern", "glob_pattern"];
const URLS = ["url", "urls", "uri"];

/** More than this at once is nothing that anybody reads through. */
const MOST_CALLS = 64;

/** A command line, in the folder that the tool says. */
export function runs(...folderNames: readonly string[]): ToolReading {
  return bounded((input) => {
    const command = textIn(input, "command");
    const folders = foldersIn(input, { names: folderNames, known: FOLDERS });
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

/** Changes a file that is there: it is read and written. */
export function edits(...names: readonly string[]): ToolReading {
  return onPaths("edit", { names, newTextAs: "new_string" });
}

/** Every file of a list, which may have patterns in it. */
export function readsMany(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const all = textsIn(input, [...names, ...FILES]);
    if (named === undefined || all === undefined || named.length === 0) return undefined;
    const calls = all.map((pattern) => partCalls("grep", pattern));
    return calls.some((one) => one === undefined) ? undefined : calls.flatMap((one) => one ?? []);
  });
}

/** Names in the tree that a pattern speaks of. */
export function looksThrough(names: {
  readonly folders: readonly string[];
  readonly patterns: readonly string[];
}): ToolReading {
  return bounded((input) => {
    const folders = foldersIn(input, { names: names.folders, known: PLACES });
    const patterns = textsIn(input, [...names.patterns, ...PATTERNS]);
    const parts = patterns?.map(searchedPart);
    if (folders === undefined || parts === undefined) return undefined;
    if (parts.some((part) => part === undefined)) return undefined;
    if (parts.length === 0) return folders.map((folder) => placeCall("glob", folder));
    return folders.flatMap((folder) => parts.map((part) => placeCall("glob", beneath(folder, part ?? ""))));
  });
}

/** Names in one folder. */
export function lists(...names: readonly string[]): ToolReading {
  return bounded((input) =>
    foldersIn(input, { names, known: PLACES })?.map((folder) => placeCall("list", folder)),
  );
}

/** Lines in a tree; a filter that names secrets reads them, whatever else would be passed over. */
export function searches(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const folders = foldersIn(input, { names, known: PLACES });
    const filters = textsIn(input, FILTERS);
    if (folders === undefined || filters === undefined) return undefined;
    // By the name alone: the folders before it may be any.
    const telling = filters
      .filter((filter) => isSecretFile(filter))
      .map((filter) => filter.replace(/^.*\//, ""));
    return folders.flatMap((folder) => [
      placeCall("grep", folder),
      ...telling.map((filter) => ({ tool: "read" as const, arguments: { path: beneath(folder, filter) } })),
    ]);
  });
}

export function fetches(...names: readonly string[]): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const all = textsIn(input, [...names, ...URLS]);
    return named === undefined || named.length === 0 ? undefined : all?.map(fetchCall);
  });
}

/** Every address in a prompt, and every one by itself; where there is none, nothing says where it goes. */
export const fetchesWhatIsNamed: ToolReading = bounded((input) => {
  const urls = textsIn(input, URLS);
  const prompts = textsIn(input, ["prompt"]);
  if (urls === undefined || prompts === undefined) return undefined;
  const found = prompts.flatMap((prompt) => prompt.match(/https?:\/\/[^\s"'<>)\]}]+/gi) ?? []);
  const all = [...new Set([...urls, ...found])];
  return all.length === 0 ? undefined : all.map(fetchCall);
});

export const searchesTheWeb: ToolReading = (input) => [
  { tool: "web_search", arguments: { query: textIn(input, "query", "search_term") ?? "" } },
];

/** Nothing outside of the conversation: lists, plans, questions, subagents whose own calls come here as well. */
export const staysInside: ToolReading = () => [];

interface PathNames {
  readonly names: readonly string[];
  /** What our own tool calls what would be new in the file. */
  readonly newTextAs?: "content" | "new_string";
}

function onPaths(tool: "read" | "write" | "edit" | "delete", { names, newTextAs }: PathNames): ToolReading {
  return bounded((input) => {
    const named = textsIn(input, names);
    const all = textsIn(input, [...names, ...FILES]);
    if (named === undefined || named.length === 0) return undefined;
    const more = newTextAs === undefined ? {} : { [newTextAs]: newTexts(input) };
    return all?.map((path) => ({ tool, arguments: { path, ...more } }));
  });
}

/** `undefined` in it: where the client is. */
function foldersIn(
  input: Fields,
  { names, known }: { readonly names: readonly string[]; readonly known: readonly string[] },
): readonly (string | undefined)[] | undefined {
  const named = textsIn(input, names);
  const all = textsIn(input, [...names, ...known]);
  if (named === undefined || all === undefined) return undefined;
  return named.length === 0 ? [undefined, ...all] : all;
}

function partCalls(tool: "grep", pattern: string): readonly DryRunCall[] | undefined {
  const part = searchedPart(pattern);
  if (part === undefined) return undefined;
  const call = placeCall(tool, part === "" ? undefined : part);
  return isSecretFile(pattern) ? [call, { tool: "read", arguments: { path: pattern } }] : [call];
}

function placeCall(tool: "glob" | "grep" | "list", path: string | undefined): DryRunCall {
  return { tool, arguments: path === undefined ? {} : { path } };
}

function fetchCall(url: string): DryRunCall {
  return { tool: "web_fetch", arguments: { url } };
}

function beneath(folder: string | undefined, part: string): string | undefined {
  if (part === "" || folder === undefined) return part === "" ? folder : part;
  return /^(?:\/|~)/.test(part) ? part : `${folder}/${part}`;
}

/** All that would be new in the file, wherever the tool has it: secrets in it are looked for. */
function newTexts(input: Fields): string {
  const names = ["content", "contents", "new_string", "new_source", "code_edit"];
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isFields) : [];
  return [input, ...edits].flatMap((one) => names.flatMap((name) => textIn(one, name) ?? [])).join("\n");
}

function bounded(reading: ToolReading): ToolReading {
  return (input) => {
    const calls = reading(input);
    return calls === undefined || calls.length > MOST_CALLS ? undefined : calls;
  };
}
