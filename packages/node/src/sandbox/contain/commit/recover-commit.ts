import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { carriedOut, undoSteps } from "./commit.ts";
import { removeLeftLocks } from "./git-locks.ts";
import { openKernelCalls } from "./kernel-calls.ts";
import { leaseAll } from "./leases.ts";
import { BACK, DONE, isHalfUndone, planIn } from "./notes.ts";
import { heldFolders, inverse } from "./steps.ts";
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
      if (isHalfUndone(folder)) {
        const done = asFound(plan, folder, folders);
        await leaseAll(done.plan.steps.map(inverse), doing);
        await undone(done, folder, doing);
      }
    }
  }
  removeLeftLocks(folder);
}
