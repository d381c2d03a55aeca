import type { HookAnswer } from "../../clients/hook-call.ts";

/** An answer in the format of the client. */
export function answered(answer: Readonly<Record<string, unknown>>): HookAnswer {
  return { stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 };
}

/** Blocks in every client: exit code 2, and the reason on standard error. */
export function blocked(reason: string): HookAnswer {
  return {
    stdout: "",
    stderr: `Toolkeep denied this call because it could not decide: ${reason}\n`,
    exitCode: 2,
  };
}
