import type { HookAnswer } from "../../clients/hook-call.ts";

/** Blocks in every client: exit code 2, and the reason on standard error. */
export function blocked(reason: string): HookAnswer {
  return {
    stdout: "",
    stderr: `Toolkeep denied this call because it could not decide: ${reason}\n`,
    exitCode: 2,
  };
}
