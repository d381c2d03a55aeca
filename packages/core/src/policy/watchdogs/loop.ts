import type { JudgedCall } from "../../contract/call.ts";
import type { RecentCall } from "../../contract/circumstances.ts";
import { ToolkeepError } from "../../contract/error.ts";
import type { Watchdog } from "../../contract/watchdog.ts";
import { objects, PASSES } from "./verdict.ts";

const TIMES = 5;

/**
 * Asks when the same tool is called with the same arguments for the nth time in a row.
 * @throws ToolkeepError `invalid_option` for fewer than two times.
 */
export function loop(times: number = TIMES): Watchdog {
  if (!Number.isInteger(times) || times < 2) {
    throw new ToolkeepError("invalid_option", `\`loop\` takes a whole number from 2; it was ${times}.`);
  }
  return Object.freeze({
    name: "loop",
    judge(call, { recent }) {
      if (recent.length < times - 1) return PASSES;
      for (let back = 1; back < times; back += 1) {
        if (!isSame(call, recent[recent.length - back])) return PASSES;
      }
      return objects("ask", `${call.found.name} was called ${times} times in a row with the same arguments.`);
    },
  } satisfies Watchdog);
}

function isSame({ found, argsText }: JudgedCall, before: RecentCall | undefined): boolean {
  if (before?.toolName !== found.name) return false;
  return before.argsText === argsText || isBeginningOf(before.argsText, argsText);
}

/** Of long arguments their length and their beginning are kept. */
function isBeginningOf(kept: string, argsText: string): boolean {
  const length = `${argsText.length}:`;
  return (
    kept.length > length.length && kept.startsWith(length) && argsText.startsWith(kept.slice(length.length))
  );
}
