import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { visible } from "@toolkeep/core/internal";
import type { PastVersion } from "@toolkeep/node/internal";
import { diffTexts } from "@toolkeep/tools/internal";

/** One file that a command changed, with its difference as far as it is text. */
export interface ChangeDiff {
  readonly path: string;
  readonly state: "kept" | "held";
  /** A unified diff, or why there is none. */
  readonly diff: string;
}

const MOST_FILES = 200;
const MOST_LINES = 2_000;
const MOST_BYTES = 500_000;

/** The differences of a command's files. Files beyond the bounds are named without one. */
export async function changeDiffs(versions: readonly PastVersion[]): Promise<readonly ChangeDiff[]> {
  const diffs: ChangeDiff[] = [];
  let lines = 0;
  for (const [at, version] of versions.entries()) {
    const isShown = at < MOST_FILES && lines < MOST_LINES;
    const diff = isShown ? await diffOf(version) : "Not shown: there is too much before it.";
    lines += diff.split("\n").length;
    diffs.push({ path: version.path, state: version.isHeld ? "held" : "kept", diff });
  }
  return diffs;
}

async function diffOf({ path, before, after, isLost }: PastVersion): Promise<string> {
  if (isLost) return "Something else changed it since, so the difference is not known.";
  const [old, fresh] = [contentOf(before), contentOf(after)];
  const does = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
  if (old === undefined || fresh === undefined) return `A binary or large file was ${does}.`;
  return (await diffTexts(path, old, fresh))?.trimEnd() ?? `A long text was ${does}.`;
}

/** Text, or where a link points to; `undefined` for anything else. */
function contentOf(path: string | undefined): string | undefined {
  if (path === undefined) return "";
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}\n`;
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const bytes = readFileSync(path);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** The same for users. */
export function diffLines(diffs: readonly ChangeDiff[]): readonly string[] {
  return diffs.flatMap(({ path, state, diff }) => [
    "",
    `${state === "kept" ? "applied" : state}  ${visible(path)}`,
    ...diff.split("\n"),
  ]);
}
