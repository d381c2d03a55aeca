import type { StandInCall } from "./hook-call.ts";
import { type Fields, isFields, textIn } from "./payload.ts";

/** Says what a call of a client's tool would do; `undefined` where its arguments do not say. */
export type ToolReading = (input: Fields) => readonly StandInCall[] | undefined;

const PATH = ["file_path", "path", "absolute_path", "target_file", "notebook_path"] as const;
const FOLDER = ["path", "dir_path", "directory", "target_directory"] as const;

/** A command line, in the folder that the tool says. */
export const runs: ToolReading = (input) => {
  const command = textIn(input, "command");
  const workdir = textIn(input, "working_directory", "dir_path", "directory");
  if (command === undefined) return undefined;
  return [{ tool: "bash", arguments: { command, ...(workdir === undefined ? {} : { workdir }) } }];
};

export const reads: ToolReading = (input) => onPath("read", input);

export const deletes: ToolReading = (input) => onPath("delete", input);

export const writes: ToolReading = (input) => onPath("write", input, { content: newTexts(input) });

/** Changes a file that is there: it is read and written. */
export const edits: ToolReading = (input) => onPath("edit", input, { new_string: newTexts(input) });

/** Every file of a list. */
export const readsMany: ToolReading = (input) => {
  const listed = [input["paths"], input["include"], input["file_paths"]].find(Array.isArray);
  if (listed === undefined || !listed.every((path) => typeof path === "string" && path !== ""))
    return undefined;
  return listed.length === 0 ? undefined : listed.map((path: string) => placeCall("glob", path));
};

export const looksThrough: ToolReading = (input) => [placeCall("glob", textIn(input, ...FOLDER))];

export const searches: ToolReading = (input) => [placeCall("grep", textIn(input, ...FOLDER))];

export const fetches: ToolReading = (input) => {
  const url = textIn(input, "url");
  return url === undefined ? undefined : [{ tool: "web_fetch", arguments: { url } }];
};

/** Every address in a prompt; one without any says nothing of where it goes. */
export const fetchesWhatIsNamed: ToolReading = (input) => {
  const found = (textIn(input, "prompt", "url") ?? "").match(/https?:\/\/[^\s"'<>)\]}]+/gi) ?? [];
  const urls = [...new Set(found)];
  return urls.length === 0 ? undefined : urls.map((url) => ({ tool: "web_fetch", arguments: { url } }));
};

export const searchesTheWeb: ToolReading = (input) => [
  { tool: "web_search", arguments: { query: textIn(input, "query", "search_term") ?? "" } },
];

/** Nothing outside of the conversation: lists, plans, questions, subagents whose own calls come here as well. */
export const staysInside: ToolReading = () => [{ tool: "client_own", arguments: {} }];

function onPath(tool: "read" | "write" | "edit" | "delete", input: Fields, more: Fields = {}) {
  const path = textIn(input, ...PATH);
  return path === undefined ? undefined : [{ tool, arguments: { path, ...more } }];
}

function placeCall(tool: "glob" | "grep", path: string | undefined): StandInCall {
  return { tool, arguments: path === undefined ? {} : { path } };
}

/** All that would be new in the file, wherever the tool has it: secrets in it are looked for. */
function newTexts(input: Fields): string {
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isFields) : [];
  const all = [input, ...edits].map((one) => textIn(one, "content", "contents", "new_string", "new_source"));
  return all.filter((one) => one !== undefined).join("\n");
}
