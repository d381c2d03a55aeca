import { ToolFailure } from "../../../contract/call/failure.ts";
import type { ToolResult } from "../../../contract/call/result.ts";
import { failedResult, failure, type Spent } from "../../../results/runtime-failure.ts";
import { reportCrash } from "../../turn/report-crash.ts";
import type { RunningCall } from "../../turn/running-call.ts";

/** A `ToolFailure` has a message for the model. Anything else is a crash, and its stack is for the journal. */
export function thrown(error: unknown, running: RunningCall, spent: Spent): ToolResult {
  const { id, found } = running.call;
  const call = { id, toolName: found.name, origin: found.origin };
  if (ToolFailure.isInstance(error)) {
    const { code, hint } = error;
    const message = shortened(error.message);
    const why = hint === undefined ? { code, message } : { code, message, hint: shortened(hint) };
    // Its message may hold what it read.
    return { ...failedResult(call, why, spent), labels: ["untrusted"] };
  }
  reportCrash(call, error, running.turn);
  return failedResult(
    call,
    failure("tool_crashed", `${found.name} crashed. Its makers can find the details in the journal.`),
    spent,
  );
}

const LONGEST_MESSAGE = 10_000;

/** A message is for reading; one that is not is cut, and says so. */
function shortened(message: string): string {
  const lost = message.length - LONGEST_MESSAGE;
  return lost <= 0
    ? message
    : `${message.slice(0, LONGEST_MESSAGE)} [cut by the runtime: ${lost} characters left out]`;
}
