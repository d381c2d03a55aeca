import type { CommandOutcome, KeptOutput } from "@toolkeep/core/ports";
import type { ProcessEnd } from "./spawner-protocol.ts";

interface OutcomeDetails {
  readonly limitBytes?: number;
  /** The time of its own that it has overrun. */
  readonly timeoutMs?: number;
  readonly output?: KeptOutput;
  readonly note?: string | undefined;
}

/** How a process ended, as a tool is told. */
export function outcomeOf(
  { exitCode, signal, isOverLimit, left }: ProcessEnd,
  { limitBytes, timeoutMs, output, note }: OutcomeDetails = {},
): CommandOutcome {
  const reasons = [
    ...(timeoutMs === undefined ? [] : [`It took longer than ${timeoutMs} ms and was ended.`]),
    ...(isOverLimit ? [`It wrote more than ${limitBytes} bytes and was ended.`] : []),
    ...(left === undefined ? [] : [`${left} of its processes could not be ended.`]),
  ];
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    ...(reasons.length === 0 ? {} : { stopped: reasons.join(" ") }),
    ...(note === undefined ? {} : { note }),
    ...(output === undefined ? {} : { output }),
  };
}
