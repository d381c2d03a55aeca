import type { Effect } from "../../contract/call/effect.ts";
import type { Watchdog } from "../../contract/policy/decision.ts";
import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { watchdog } from "./verdict.ts";

const TIMES = 5;

/**
 * Asks when the same tool is called with the same arguments for the nth time in a row. Calls that only read are not
 * counted: an agent reads a file again to see what changed, which needs no decision.
 * @throws ToolkeepError `invalid_option` for fewer than two times.
 */
export function loop(times: number = TIMES): Watchdog {
  if (!Number.isInteger(times) || times < 2) {
    throw invalidOption(`\`loop\` takes a whole number from 2; it was ${times}.`);
  }
  return watchdog("loop", "ask", ({ found, argsText, effects }, { last }) => {
    if (onlyReads(found.tool, effects)) return undefined;
    const isSame = last?.toolName === found.name && last.argsText === argsText;
    if (!isSame || last.times < times - 1) return undefined;
    return `${found.name} was called ${last.times + 1} times in a row with the same arguments.`;
  });
}

/** By what the tool declares. A mode that was guessed from a name proves nothing. */
function onlyReads({ mode, isModeGuessed }: PolicyTool["tool"], effects: readonly Effect[]): boolean {
  if (mode !== "read" || isModeGuessed) return false;
  return effects.some(isOwnEffect) && effects.every((effect) => !isOwnEffect(effect) || isReading(effect));
}

function isOwnEffect({ implied }: Effect): boolean {
  return implied !== true;
}

function isReading({ capability }: Effect): boolean {
  return READING.has(capability);
}

const READING: ReadonlySet<string> = new Set(["fs.read", "git.read"]);
