import type { CommandOutcome, KeptOutput } from "@toolkeep/core";
import type { ProcessEnd } from "./spawner-protocol.ts";

/** How a process ended, as a tool is told. */
export function outcomeOf(
  { exitCode, signal, isOverLimit, left }: ProcessEnd,
  { limitBytes, output }: { readonly limitBytes?: number; readonly output?: KeptOutput } = {},
): CommandOutcome {
  const reasons = [
    ...(isOverLimit ? [`It wrote more than ${limitBytes} bytes and was ended.`] : []),
    ...(left === undefined ? [] : [`${left} of its processes could not be ended.`]),
  ];
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    ...(reasons.length === 0 ? {} : { stopped: reasons.join(" ") }),
    ...(output === undefined ? {} : { output }),
  };
}
