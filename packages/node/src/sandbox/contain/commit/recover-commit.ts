import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { statsAt } from "../layer/stamp.ts";
import { carriedOut, undoSteps } from "./commit.ts";
import { removeLeftLocks } from "./git-locks.ts";
import { openKernelCalls } from "./kernel-calls.ts";
import { BACK, DONE, planIn, UNDOING } from "./notes.ts";
import { type Doing, heldFolders, inverse, type Step } from "./steps.ts";
import { asFound, undone } from "./undo-commit.ts";

/**
 * A commit that a process left half-done is done, or undone if it was being undone. Git's own locks stay until
 * then.
 * @throws ToolFailure `unavailable` while another process has a file of it open.
 */
export async function recoverCommit(folder: string): Promise<void> {
  const plan = planIn(folder);
  if (plan !== undefined) {
    using folders = heldFolders(plan.project);
    if (existsSync(join(folder, BACK))) await undoSteps(plan, folder, { folders });
    else {
      using kernel = await openKernelCalls(dirname(folder));
      const doing = { folders, kernel };
      if (!existsSync(join(folder, DONE))) {
        await leaseAll(plan.steps, doing);
        await carriedOut(plan, folder, doing);
      }
      if (existsSync(join(folder, UNDOING))) {
        const done = asFound(plan, folder, folders);
        await leaseAll(done.plan.steps.map(inverse), doing);
        await undone(done, folder, doing);
      }
    }
  }
  removeLeftLocks(folder);
}

/** Of the files that are still to be replaced. */
async function leaseAll(steps: readonly Step[], { folders, kernel }: Doing): Promise<void> {
  for (const { path, does, was } of steps) {
    const at = folders.at(path);
    const found = statsAt(at);
    if (does !== "replace" || found?.isFile() !== true || `${found.ino}` !== was?.ino) continue;
    const why = await kernel.lease(at, `${found.ino}`);
    if (why !== undefined)
      throw new ToolFailure("unavailable", `An interrupted commit cannot be finished: ${path} is ${why}.`, {
        hint: "Close the file.",
      });
  }
}
