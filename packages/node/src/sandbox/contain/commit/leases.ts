import { ToolFailure } from "@toolkeep/core";
import { statsAt } from "../layer/change-set.ts";
import type { KernelCalls } from "./kernel-calls.ts";
import type { Doing, Step } from "./steps.ts";

const LEASE_TRIES = 4;
const LEASE_PAUSE_MS = 30;

/** Programs that only pass by have a file open for a moment. */
export async function leased(at: string, ino: bigint, kernel: KernelCalls): Promise<string | undefined> {
  let why = "";
  for (let tries = 0; tries < LEASE_TRIES; tries += 1) {
    const lease = await kernel.lease(at);
    if ("ino" in lease) return lease.ino === ino ? undefined : "changed by another program meanwhile";
    why = lease.why;
    await new Promise((resolve) => setTimeout(resolve, LEASE_PAUSE_MS));
  }
  return why;
}

/** Of the files that are still to be replaced. */
export async function leaseAll(steps: readonly Step[], { folders, kernel }: Doing): Promise<void> {
  for (const { path, does, was } of steps) {
    const at = folders.at(path);
    const found = statsAt(at);
    if (does !== "replace" || found?.isFile() !== true || `${found.ino}` !== was?.ino) continue;
    const why = await leased(at, found.ino, kernel);
    if (why !== undefined)
      throw new ToolFailure("unavailable", `An interrupted commit cannot be finished: ${path} is ${why}.`, {
        hint: "Close the file.",
      });
  }
}
