import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";
import type { Change } from "../layer/change-set.ts";
import type { HeldChange } from "../layer/judged-changes.ts";
import { COMMANDS, checkOwner, numbersIn, type ProjectState } from "../layer/open-layer.ts";
import { removeTree } from "../layer/remove-tree.ts";
import { type Commit, commitChanges } from "./commit.ts";
import { LOCKS } from "./git-locks.ts";
import { UNDONE } from "./given-back.ts";
import { BACK, DONE, isHalfUndone, keptBy, PLAN } from "./notes.ts";
import { recoverCommit } from "./recover-commit.ts";

/** What a command left, as the store of its project has it. */
export interface PastCommand {
  readonly number: number;
  /** Everything of it: what is held is beneath `upper`, by the paths of the project. */
  readonly folder: string;
  readonly line: string;
  /** Whose erasure removes it. */
  readonly callId?: string;
  readonly sessionId?: string;
  readonly at: number;
  readonly kept: readonly string[];
  readonly held: readonly HeldChange[];
  /** The changes that are held, as they can be kept. */
  readonly work: readonly HeldWork[];
  /** What its folder takes. */
  readonly bytes: number;
  readonly isUndone: boolean;
}

export type HeldWork = Pick<Change, "path" | "does" | "type">;

const WHAT = "command.json";

/** What is written down of a command besides what the store finds by itself. */
type Closing = Pick<PastCommand, "line" | "callId" | "sessionId" | "kept" | "held" | "work"> & {
  readonly at?: number;
};

/** Writes down what became of a command, for whoever asks later. */
export async function closePast(folder: string, what: Closing): Promise<void> {
  for (const name of ["work", "merged", "home", "built"]) removeTree(join(folder, name));
  const { line, callId, sessionId, kept, held, work, at = Date.now() } = what;
  const closed = { line, callId, sessionId, at, kept, held, work, bytes: bytesIn(folder) };
  await writeOwnedFile(join(folder, WHAT), JSON.stringify(closed));
}

const BLOCK = 4_096;

/** A file takes a block at least. */
function bytesIn(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return Math.max(stats?.size ?? 0, BLOCK);
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), BLOCK);
}

const CLOSING = "closing.json";

/**
 * Commits, and writes down what became of the command. A process that is killed in between leaves enough to write it
 * down afterwards. `from`: where the changes are held, if that is another command.
 */
export async function closeByCommit(commit: Commit, closing: Closing, from = commit.folder) {
  await writeOwnedFile(join(commit.folder, CLOSING), JSON.stringify({ ...closing, at: Date.now(), from }));
  const late = await commitChanges(commit).catch((error) => {
    rmSync(join(commit.folder, CLOSING), { force: true });
    throw error;
  });
  const why = new Map(late.map((one) => [one.path, one.why]));
  // It is done: whoever comes next can write it down, when the disk is not full any more.
  await closeLeft(commit.folder, (held) => ({ ...held, why: why.get(held.path) ?? held.why })).catch(
    () => undefined,
  );
  return late;
}

/** What came to the project is kept, and the rest still held. */
async function closeLeft(folder: string, asHeld = (held: HeldChange) => held): Promise<void> {
  const text = readFileSync(join(folder, CLOSING), "utf8");
  const { from, ...closing } = JSON.parse(text) as Required<Closing> & { readonly from: string };
  const kept = keptBy(folder);
  const isLeft = ({ path }: { readonly path: string }) => !kept.includes(path);
  const holder = from === folder ? { ...closing, kept } : whatIn(from);
  const { held = [], work = [] } = holder ?? {};
  if (holder !== undefined)
    await closePast(from, { ...holder, held: held.filter(isLeft).map(asHeld), work: work.filter(isLeft) });
  if (from !== folder) await closePast(folder, { ...closing, kept });
  rmSync(join(folder, CLOSING));
}

/** The commands whose changes can be undone or looked at, the oldest first. */
export function pastCommands({ folder }: Pick<ProjectState, "folder">): readonly PastCommand[] {
  return numbersIn(join(folder, COMMANDS)).flatMap((number) => {
    const at = join(folder, COMMANDS, `${number}`);
    const what = whatIn(at);
    return what === undefined
      ? []
      : [{ ...what, number, folder: at, isUndone: existsSync(join(at, UNDONE)) }];
  });
}

function whatIn(folder: string): Omit<PastCommand, "number" | "folder" | "isUndone"> | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, WHAT), "utf8")) as Omit<
      PastCommand,
      "number" | "folder" | "isUndone"
    >;
  } catch {
    return undefined;
  }
}

/** Brings every commit that a process left half-done to its end. To be called under the lock of the project. */
export async function recoverPast(state: Pick<ProjectState, "folder">, except?: number): Promise<void> {
  const { folder } = state;
  checkOwner(state);
  for (const number of numbersIn(join(folder, COMMANDS))) {
    const at = join(folder, COMMANDS, `${number}`);
    if (number === except) continue;
    const has = (name: string) => existsSync(join(at, name));
    if ((has(PLAN) && !has(DONE)) || has(BACK) || has(LOCKS) || isHalfUndone(at)) await recoverCommit(at);
    if (has(CLOSING)) await closeLeft(at);
  }
}

const KEPT_MS = 7 * 24 * 60 * 60_000;
const MOST_KEPT_BYTES = 2 ** 30;

/** Forgets commands that are older than a week, and the oldest beyond a gigabyte. Held work stays. */
export function forgetOld(state: Pick<ProjectState, "folder">, now = Date.now()): void {
  let left = MOST_KEPT_BYTES;
  for (const { folder, at, held, bytes } of pastCommands(state).toReversed()) {
    left -= bytes;
    if (held.length === 0 && (now - at > KEPT_MS || left < 0)) removeTree(folder);
  }
}
