import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";
import type { Change } from "../layer/change-set.ts";
import type { HeldChange } from "../layer/judged-changes.ts";
import { COMMANDS, checkOwner, numbersIn, type ProjectState } from "../layer/open-layer.ts";
import { removeTree } from "../layer/remove-tree.ts";
import { DONE, PLAN, recoverCommit } from "./commit.ts";
import { UNDONE } from "./given-back.ts";

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
  readonly isUndone: boolean;
}

export type HeldWork = Pick<Change, "path" | "does" | "type">;

const WHAT = "command.json";

/** Writes down what became of a command, for whoever asks later. */
export async function closePast(
  folder: string,
  what: Pick<PastCommand, "line" | "callId" | "sessionId" | "kept" | "held" | "work"> & {
    readonly at?: number;
  },
): Promise<void> {
  for (const name of ["work", "merged", "home"]) removeTree(join(folder, name));
  const { line, callId, sessionId, kept, held, work, at = Date.now() } = what;
  await writeOwnedFile(join(folder, WHAT), JSON.stringify({ line, callId, sessionId, at, kept, held, work }));
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
    const isHalf = existsSync(join(at, PLAN)) && !existsSync(join(at, DONE));
    if (isHalf || existsSync(join(at, "undoing")) || existsSync(join(at, "locks.json")))
      await recoverCommit(at);
    if (isHalf && whatIn(at) === undefined) await closePast(at, { line: "", kept: [], held: [], work: [] });
  }
}

export const KEPT_MS = 7 * 24 * 60 * 60_000;
export const MOST_KEPT_BYTES = 2 ** 30;

/** Forgets commands that are older than a week, and the oldest beyond a gigabyte. Held work stays. */
export function forgetOld(state: Pick<ProjectState, "folder">, now = Date.now()): void {
  let left = MOST_KEPT_BYTES;
  for (const { folder, at, held } of pastCommands(state).toReversed()) {
    left -= lstatSync(folder).size;
    if (held.length === 0 && (now - at > KEPT_MS || left < 0)) removeTree(folder);
  }
}
