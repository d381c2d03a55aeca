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
    evaluate({ found, argsText }, { last }) {
      const isSame = last?.toolName === found.name && last.argsText === argsText;
      if (!isSame || last.times < times - 1) return PASSES;
      return objects(
        "ask",
        `${found.name} was called ${last.times + 1} times in a row with the same arguments.`,
      );
    },
  } satisfies Watchdog);
}
