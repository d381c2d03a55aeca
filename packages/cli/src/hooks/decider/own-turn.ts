import { fs, os } from "../../terminal/builtin.ts";
import { timeLeft } from "../answer/hook-time.ts";
import type { HookRequest } from "../answer/run-hook.ts";
import { isMoved, isPrivateFolder, makeFolder, runFolderOf } from "./run-folder.ts";

/** What is left for the decision of a hook whose turn does not come: it begins without one. */
const KEPT_MS = 6_000;
/** A process that did not end by itself leaves its turn. */
const LEFT_MS = 10_000;
const STEP_MS = 40;

/**
 * Waits for a turn among the hooks of this user that decide by themselves: as many at once as there are processors.
 * Twenty that load the program together would all be late. If the folder cannot be used, every hook begins at once.
 */
export async function ownTurn({ environment }: Pick<HookRequest, "environment">): Promise<Disposable> {
  const slots = slotsIn(environment);
  try {
    while (slots.length > 0 && timeLeft().decideMs > KEPT_MS) {
      const taken = slots.find(isTaken);
      if (taken !== undefined) return { [Symbol.dispose]: () => fs().rmSync(taken, { force: true }) };
      await new Promise((resolve) => setTimeout(resolve, STEP_MS * (0.5 + Math.random())));
    }
  } catch {
    // A full disk, for example.
  }
  return { [Symbol.dispose]: () => undefined };
}

/** The files of the turns; none where there is no private folder for them. */
function slotsIn(environment: HookRequest["environment"]): readonly string[] {
  try {
    const folder = isMoved(environment) ? undefined : runFolderOf(environment);
    if (folder === undefined) return [];
    makeFolder(folder);
    if (!isPrivateFolder(folder)) return [];
    fs().accessSync(folder, fs().constants.W_OK);
    return Array.from({ length: os().availableParallelism() }, (_, index) => `${folder}/turn-${index}`);
  } catch {
    return [];
  }
}

function isTaken(slot: string): boolean {
  try {
    fs().closeSync(fs().openSync(slot, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = fs().lstatSync(slot, { throwIfNoEntry: false });
    if (found !== undefined && Math.abs(Date.now() - found.mtimeMs) > LEFT_MS)
      fs().rmSync(slot, { force: true });
    return false;
  }
}
