import type { DryRunCall } from "./hook-call.ts";
import type { ToolReading } from "./own-tools.ts";
import { textIn } from "./payload.ts";

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/;
const MARK = /^\*\*\* (?:Begin Patch|End Patch|End of File)$/;
const MOST_FILES = 64;

/** The files of a patch between `*** Begin Patch` and `*** End Patch`; unknown if a line of it is not understood. */
export function patches(...names: readonly string[]): ToolReading {
  return (input) => {
    const text = textIn(input, ...names);
    return text === undefined ? undefined : callsIn(text);
  };
}

function callsIn(text: string): readonly DryRunCall[] | undefined {
  const lines = text.split(/\r?\n/);
  // A line that begins with a blank is a line of a file, and so are those with `+` and `-`.
  const marked = lines.map((line) => line.trimEnd()).filter((line) => /^\s*\*{3}/.test(line));
  const headers = marked.filter((line) => !MARK.test(line)).map((line) => HEADER.exec(line));
  if (headers.length === 0 || headers.length > MOST_FILES || headers.includes(null)) return undefined;
  const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  return headers.flatMap((header) =>
    changeOf(header?.[1] ?? "", (header?.[2] ?? "").trim(), added.join("\n")),
  );
}

function changeOf(kind: string, path: string, text: string): readonly DryRunCall[] {
  if (kind === "Delete File") return [{ tool: "delete", arguments: { path } }];
  if (kind === "Update File") return [{ tool: "edit", arguments: { path, new_string: text } }];
  return [{ tool: "write", arguments: { path, content: text } }];
}
