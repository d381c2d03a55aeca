import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { protectedRecords, type RecordState } from "../../git/protected-records.ts";
import { listedNames } from "../denied/denied-note.ts";
import { type Find, isClosedName } from "../scan/find.ts";

/** What takes files out of the index, or puts others into it, and means to leave the work tree as it is. */
const INDEX_ALONE =
  /--(?:cached|staged|soft|mixed|cacheinfo|force-remove)\b|\bgit\b[^;&|\n]*\b(?:update-index|read-tree)\b|\bgit\b[^;&|\n]*\breset\b(?![^;&|\n]*--(?:hard|merge|keep)\b)/;

/**
 * Looks, once a command is over, for tracked files that decide what is run and that git could not write or remove: git
 * records others by then, often without a word, and the next commit would undo them.
 * The returned function gives the failure, with the files and what puts them in order.
 */
export function watchLeft(
  argv: readonly string[],
  finds: readonly Find[],
  profile: SandboxProfile,
): () => ToolFailure | undefined {
  const { write, cwd } = profile;
  const tops = finds.filter(({ kind }) => kind === "repository").map(({ path }) => dirname(path));
  if (tops.length === 0 || INDEX_ALONE.test(argv.at(-1) ?? "")) return () => undefined;
  const isVisible = (path: string) => write.some((folder) => isWithin(path, folder));
  const before = protectedRecords(tops, isVisible);
  return () => {
    const after = protectedRecords(tops, isVisible);
    if (after.stamp === before.stamp) return undefined;
    const isClosed = (path: string) =>
      !write.includes(path) && tops.some((top) => isWithin(path, top) && isClosedName(top, path));
    const closed = (paths: Iterable<string>) => [...paths].filter(isClosed);
    const kept = closed(after.states.keys()).filter(
      (path) => isOff(after.states.get(path)) && !isOff(before.states.get(path)),
    );
    const over = closed(before.states.keys()).filter(
      (path) => !after.states.has(path) && before.states.get(path) === "same" && isThere(path),
    );
    return kept.length + over.length === 0 ? undefined : leftFailure(kept, over, cwd);
  };
}

function isOff(state: RecordState | undefined): boolean {
  return state === "other" || state === "missing";
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function leftFailure(kept: readonly string[], over: readonly string[], cwd: string): ToolFailure {
  const said = [
    ...(kept.length === 0 ? [] : [`not as git records now: ${listedNames(kept, cwd)}`]),
    ...(over.length === 0 ? [] : [`no longer tracked by git and still there: ${listedNames(over, cwd)}`]),
  ];
  const steps = [
    ...(kept.length === 0 ? [] : [`\`git checkout -- ${words(kept, cwd)}\``]),
    ...(over.length === 0 ? [] : [`\`rm ${words(over, cwd)}\``]),
  ];
  return new ToolFailure(
    "out_of_scope",
    `The command ran, and git could not change files that decide what is run; ${said.join("; ")}.`,
    { hint: `Commit nothing before this is in order: run ${steps.join(" and ")}, which asks.` },
  );
}

const MOST_WORDS = 20;

function words(paths: readonly string[], cwd: string): string {
  return paths
    .slice(0, MOST_WORDS)
    .map((path) => listedNames([path], cwd))
    .join(" ");
}

/** Both failures of one command as one. */
export function joinedFailure(
  one: ToolFailure | undefined,
  other: ToolFailure | undefined,
): ToolFailure | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const hint = [one.hint, other.hint].filter(Boolean).join(" ");
  return new ToolFailure("out_of_scope", `${one.message} ${other.message}`, { hint });
}
