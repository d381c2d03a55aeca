import type { DryRunCall } from "../../clients/hook-call.ts";
import { type Fields, textIn } from "../../clients/payload.ts";
import type { ToolReading } from "./own-tools.ts";

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

/** A line that is nothing but `apply_patch` with its patch in a here-document, in which the shell changes nothing. */
const IN_COMMAND = /^\s*apply_patch\s*<<\s*(['"])([A-Za-z_]\w*)\1[ \t]*\n(.*?)\n\2\s*$/s;

/** A command line that may be a patch. */
export function patchInCommand(name: string, otherwise: ToolReading): ToolReading {
  return (input) => {
    const [, , end = "", patch] = IN_COMMAND.exec(textIn(input, name) ?? "") ?? [];
    // The here-document ends with the first such line.
    if (patch === undefined || patch.split("\n").includes(end)) return otherwise(input);
    return callsIn(patch) ?? otherwise(input);
  };
}

function callsIn(text: string): readonly DryRunCall[] | undefined {
  const lines = text.split(/\r?\n/);
  // A line that begins with a blank is a line of a file, and so are those with `+` and `-`.
  const marked = lines.map((line) => line.trimEnd()).filter((line) => /^\s*\*{3}/.test(line));
  const headers = marked.filter((line) => !MARK.test(line)).map((line) => HEADER.exec(line));
  if (headers.length === 0 || headers.length > MOST_FILES || headers.includes(null)) return undefined;
  const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  const changes = headers.map((header) => ({ kind: header?.[1] ?? "", path: (header?.[2] ?? "").trim() }));
  const calls = changes.flatMap((change, index) => [
    changeOf(change, added.join("\n")),
    ...(changes[index + 1]?.kind === "Move to" ? [movedAway(change.path)] : []),
  ]);
  const [only] = calls;
  const edit = replacementIn(text);
  const isManifest = only?.tool === "edit" && String(only.arguments["path"]).endsWith("package.json");
  if (calls.length !== 1 || !isManifest || edit === undefined) return calls;
  return [{ tool: "edit", arguments: { ...only.arguments, edits: [edit] } }];
}

const ONE_HUNK =
  /^\*\*\* Begin Patch\n\*\*\* Update File: [^\n]+\n(?:@@\n)?((?:[ +-][^\n]*\n)+)\*\*\* End Patch\n?$/;

/**
 * The replacement of a patch with one hunk, for a `package.json`, where it matters which scripts change. Its lines are
 * replaced as whole lines that the file has once: with other hunks, places or ends of lines, the client may look for
 * similar lines elsewhere.
 */
function replacementIn(text: string): Fields | undefined {
  const [, hunk] = /\r/.test(text) ? [] : (ONE_HUNK.exec(text) ?? []);
  if (hunk === undefined) return undefined;
  const lines = hunk.split("\n").slice(0, -1);
  const without = (mark: string) =>
    lines.filter((line) => !line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
  const [old, fresh] = [without("+"), without("-")];
  if (old.length === 0) return undefined;
  return { old_string: `\n${old.join("")}`, new_string: `\n${fresh.join("")}` };
}

interface Change {
  readonly kind: string;
  readonly path: string;
}

function changeOf({ kind, path }: Change, text: string): DryRunCall {
  if (kind === "Delete File") return { tool: "delete", arguments: { path } };
  if (kind === "Update File") return { tool: "edit", arguments: { path, new_string: text } };
  return { tool: "write", arguments: { path, content: text } };
}

/** A file that gets another name is no longer there, as after `mv`. */
function movedAway(path: string): DryRunCall {
  return { tool: "delete", arguments: { path, isMoved: true } };
}
