import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { writeOwnedFile } from "../../../owned-files/write-owned-file.ts";
import type { Change } from "../layer/change-set.ts";
import type { HeldChange } from "../layer/evaluated-changes.ts";
import {
  COMMANDS,
  checkOwner,
  isLeftBehind,
  numbersIn,
  OPENED,
  type ProjectState,
} from "../layer/open-layer.ts";
import { statsAt } from "../layer/stamp.ts";
import { bytesIn, type Commit, commitChanges, MOST_KEPT_BYTES } from "./commit.ts";
import { LOCKS } from "./git-locks.ts";
import { BACK, DONE, keptBy, PLAN, planIn, replaceBy, UNDOING, UNDONE } from "./notes.ts";
import { recoverCommit } from "./undo-commit.ts";

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
  /** What takes space to undo it. What is held of it is not counted. */
  readonly bytes: number;
  readonly isUndone: boolean;
  /** For what was held and kept afterwards: of which command. Undoing it holds that again. */
  readonly again?: Pick<PastCommand, "number" | "held" | "work"> | undefined;
}

export type HeldWork = Pick<Change, "path" | "does" | "type">;

const WHAT = "command.json";

/** What is written down of a command besides what the store finds by itself. */
type Closing = Pick<PastCommand, "line" | "callId" | "sessionId" | "kept" | "held" | "work" | "again"> & {
  readonly at?: number;
};

export async function closePast(folder: string, what: Closing): Promise<void> {
  for (const name of ["work", "merged", "masks", "home", "built"]) removeTree(join(folder, name));
  const { line, callId, sessionId, kept, held, work, again, at = Date.now() } = what;
  const closed = { line, callId, sessionId, at, kept, held, work, again, bytes: displacedBytes(folder) };
  const text = JSON.stringify(closed);
  const spare = statsAt(join(folder, SPARE))?.size ?? 0n;
  if (spare >= Buffer.byteLength(text)) replaceBy(folder, WHAT, text, SPARE);
  else await writeOwnedFile(join(folder, WHAT), text);
  for (const name of [SPARE, OPENED]) rmSync(join(folder, name), { force: true });
}

/** What a command displaced: a command that displaced nothing takes space for what is written down of it. */
function displacedBytes(folder: string): number {
  const kept = new Set(keptBy(folder));
  const displaced = (planIn(folder)?.steps ?? []).filter(
    ({ path, does }) => kept.has(path) && (does === "replace" || does === "remove"),
  );
  const notes = [PLAN, DONE].reduce((sum, name) => sum + bytesIn(join(folder, name)), 0);
  return displaced.reduce((sum, { from }) => sum + bytesIn(from), notes);
}

/** Where a commit reserves space for what is written down once it is done: a full disk cannot leave it unlisted. */
const SPARE = "spare";
/** Of why one path is held. */
const LONGEST_WHY = 128;

const CLOSING = "closing.json";

/**
 * Commits, and writes down what became of the command. A process that is killed in between leaves enough to write it
 * down afterwards. `from`: where the changes are held, if that is another command.
 */
export async function closeByCommit(commit: Commit, closing: Closing, from = commit.folder) {
  const text = JSON.stringify({ ...closing, at: Date.now(), from });
  const names = commit.changes.reduce((sum, { path }) => sum + 2 * path.length + LONGEST_WHY, LONGEST_WHY);
  const folders = new Set([commit.folder, from]);
  const late = await (async () => {
    for (const folder of folders) {
      const before = statsAt(join(folder, WHAT))?.size ?? 0n;
      await writeOwnedFile(join(folder, SPARE), " ".repeat(4 * (text.length + names) + Number(before)));
    }
    await writeOwnedFile(join(commit.folder, CLOSING), text);
    return commitChanges(commit);
  })().catch((error) => {
    rmSync(join(commit.folder, CLOSING), { force: true });
    for (const folder of folders) rmSync(join(folder, SPARE), { force: true });
    throw error;
  });
  const why = new Map(late.map((one) => [one.path, one.why]));
  // It is done: the next process can write it down, when the disk is not full any more.
  await closeLeft(commit.folder, (held) => ({ ...held, why: why.get(held.path) ?? held.why })).catch(
    () => {},
  );
  // If it fails, the next commit tries again.
  unlessThrown(() => forgetOld({ folder: dirname(dirname(commit.folder)) }));
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
  else removeCopies(join(folder, "upper"), namedIn(folder, closing.held));
  rmSync(join(folder, CLOSING));
}

/** Of all changes, those that something in the layer is needed for: to keep them, or to undo them. */
function namedIn(folder: string, changes: readonly HeldChange[]): ReadonlySet<string> {
  const kept = new Set(keptBy(folder));
  const steps = planIn(folder)?.steps.filter(({ path }) => kept.has(path)) ?? [];
  const ofRights = steps.filter(({ does }) => does === "mode" || does === "touch");
  const unneeded = new Set(ofRights.map(({ path }) => path));
  return new Set(changes.map(({ path }) => path).filter((path) => !unneeded.has(path)));
}

/**
 * A file that was opened to be written to, and is as it was, takes its whole size in the layer. A database stays for the
 * files next to it that wait.
 */
function removeCopies(upper: string, named: ReadonlySet<string>, folder = ""): void {
  const entries = unlessThrown(() => readdirSync(join(upper, folder), { withFileTypes: true })) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if ([path, ...NEXT_TO_IT.map((ending) => path + ending)].some((one) => named.has(one))) continue;
    // Taking a name from a file changes it, and it can be in the project by another.
    if (entry.isDirectory()) removeCopies(upper, named, path);
    else if (entry.isFile() && Number(statsAt(join(upper, path))?.nlink) === 1)
      rmSync(join(upper, path), { force: true });
  }
}

const NEXT_TO_IT = ["-wal", "-shm", "-journal"];

/** The commands whose changes can be undone or looked at, the oldest first. */
export function pastCommands({ folder }: Pick<ProjectState, "folder">): PastCommand[] {
  const commands = numbersIn(join(folder, COMMANDS)).flatMap((number) => {
    const at = join(folder, COMMANDS, `${number}`);
    const what = whatIn(at);
    return what ? [{ ...what, number, folder: at, isUndone: existsSync(join(at, UNDONE)) }] : [];
  });
  return commands.map((command) => withHeldAgain(command, commands));
}

/** What was kept of it and undone is held again, until it is kept another time. */
function withHeldAgain(command: PastCommand, commands: readonly PastCommand[]): PastCommand {
  const back = new Map<string, Pick<PastCommand, "held" | "work">>();
  for (const { again, kept, isUndone } of commands)
    if (again?.number === command.number)
      for (const path of kept) {
        const held = again.held.filter((one) => one.path === path);
        const work = again.work.filter((one) => one.path === path);
        if (isUndone && held.length > 0 && work.length > 0) back.set(path, { held, work });
        else back.delete(path);
      }
  const all = [command, ...back.values()];
  return { ...command, held: all.flatMap(({ held }) => held), work: all.flatMap(({ work }) => work) };
}

type Closed = Omit<PastCommand, "number" | "folder" | "isUndone">;

function whatIn(folder: string): Closed | undefined {
  return unlessThrown(() => JSON.parse(readFileSync(join(folder, WHAT), "utf8")) as Closed);
}

/** Brings every commit that a process left half-done to its end. To be called under the lock of the project. */
export async function recoverPast(state: Pick<ProjectState, "folder">, except?: number): Promise<void> {
  const { folder } = state;
  checkOwner(state);
  for (const number of numbersIn(join(folder, COMMANDS))) {
    const at = join(folder, COMMANDS, `${number}`);
    if (number === except) continue;
    const has = (name: string) => existsSync(join(at, name));
    if ((has(PLAN) && !has(DONE)) || has(BACK) || has(LOCKS) || has(UNDOING)) await recoverCommit(at);
    if (has(CLOSING)) await closeLeft(at);
    else if (!has(WHAT) && !has(PLAN) && isEmpty(join(at, "old")) && isLeftBehind(at)) removeTree(at);
  }
}

/** What a commit displaced stays, whatever became of it. */
function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

export const KEPT_MS = 7 * 24 * 60 * 60_000;
const RECENT_MS = 60 * 60_000;

/**
 * Forgets commands that are older than a week. Then, until the others take no more than a gigabyte, the largest ones:
 * those of the last hour only if that is not enough. Held work stays, and so does the latest command.
 */
export function forgetOld(state: Pick<ProjectState, "folder">, now = Date.now()): void {
  const commands = pastCommands(state);
  const forget = (one: PastCommand) => {
    removeTree(one.folder);
    commands.splice(commands.indexOf(one), 1);
  };
  for (const one of commands.toReversed())
    if (now - one.at > KEPT_MS && forgettable(commands).includes(one)) forget(one);
  for (;;) {
    const all = forgettable(commands);
    const excess = bytesOf(all) - MOST_KEPT_BYTES;
    if (excess <= 0) return;
    const earlier = all.filter(({ at }) => now - at > RECENT_MS);
    const [largest] = (bytesOf(earlier) < excess ? all : earlier).toSorted(
      (one, other) => other.bytes - one.bytes,
    );
    if (largest === undefined) return;
    noteForgotten(state, largest.number);
    forget(largest);
  }
}

function bytesOf(commands: readonly PastCommand[]): number {
  return commands.reduce((sum, { bytes }) => sum + bytes, 0);
}

function forgettable(commands: readonly PastCommand[]): readonly PastCommand[] {
  const numbers = new Set(commands.map(({ number }) => number));
  // What the changes of a later command displaced is with the command that they were held of.
  const needed = new Set(commands.map(({ again }) => again?.number));
  const isHolding = ({ held, again, isUndone }: PastCommand) =>
    held.length > 0 || (isUndone && again !== undefined && numbers.has(again.number));
  return commands.slice(0, -1).filter((one) => !isHolding(one) && !needed.has(one.number));
}

const FORGOTTEN = "forgotten.json";
const MOST_FORGOTTEN = 1_000;

/** The commands that cannot be undone any more, because others took the space: their numbers. */
export function forgottenIn({ folder }: Pick<ProjectState, "folder">): readonly number[] {
  return unlessThrown(() => JSON.parse(readFileSync(join(folder, FORGOTTEN), "utf8")) as number[]) ?? [];
}

function noteForgotten(state: Pick<ProjectState, "folder">, number: number): void {
  const numbers = [...forgottenIn(state), number].slice(-MOST_FORGOTTEN);
  writeFileSync(join(state.folder, FORGOTTEN), JSON.stringify(numbers), { mode: 0o600 });
}
