import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Effect } from "@toolkeep/core";
import { changedScriptNames, changesVersionsOnly, fsRead, fsWrite } from "@toolkeep/core/internal";
import { type Fields, isFields } from "../../../clients/payload.ts";

/** A change of a file by a client, with the texts that it replaces as far as the client says them. */
interface ClientEdit {
  readonly path: string;
  readonly edits?: readonly unknown[];
}

/** A file that a client writes: of a `package.json`, only the scripts that differ from those on disk change. */
export function writesOnDisk({
  path,
  content,
}: {
  readonly path: string;
  readonly content: string;
}): readonly Effect[] {
  return [writing(path, () => content)];
}

/** A file that a client edits. */
export function editsOnDisk({ path, edits }: ClientEdit): readonly Effect[] {
  return [fsRead(path), writing(path, (text) => edited(text, edits))];
}

function writing(path: string, change: (text: string) => string | undefined): Effect {
  const before = basename(path) === "package.json" ? textAt(path) : undefined;
  const after = before === undefined ? undefined : change(before);
  if (before === undefined || after === undefined) return fsWrite(path);
  const scripts = changedScriptNames(before, after);
  return {
    ...fsWrite(path),
    ...(scripts === undefined ? {} : { scripts }),
    ...(changesVersionsOnly(before, after) ? { versionsOnly: true } : {}),
  };
}

const MOST_EDITS = 100;

/** The text after all edits; `undefined` if the client may do another thing with one of them. */
function edited(text: string, edits: readonly unknown[] | undefined): string | undefined {
  if (edits === undefined || edits.length === 0 || edits.length > MOST_EDITS) return undefined;
  return edits.reduce<string | undefined>((before, edit) => {
    const { old_string: old, new_string: fresh, replace_all: all } = isFields(edit) ? edit : ({} as Fields);
    if (before === undefined || typeof old !== "string" || typeof fresh !== "string" || old === "")
      return undefined;
    if (!before.includes(old)) return undefined;
    const isOnce = before.indexOf(old) === before.lastIndexOf(old);
    if (!isOnce && all !== true) return undefined;
    return before.replaceAll(old, () => fresh);
  }, text);
}

const LARGEST = 1_048_576;

function textAt(path: string): string | undefined {
  try {
    return statSync(path).size > LARGEST ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
