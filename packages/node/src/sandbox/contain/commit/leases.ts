import type { KernelCalls } from "./kernel-calls.ts";

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
