import { type ClientCall, type Expected, type Step, wordsOf } from "../step.ts";

/** A call that was tried in a conversation of its own, and what was said to it on 15 November 2026. */
export interface Payload extends Step {
  readonly was: "allow" | "ask" | "deny" | "none";
}

export type Recorded = ClientCall | { readonly quiet: ClientCall };

/** The client runs it without asking, in its default mode. */
export function quiet(call: ClientCall): Recorded {
  return { quiet: call };
}

export function recorded(
  recording: { readonly was: Payload["was"]; readonly expected: Expected },
  calls: readonly Recorded[],
): readonly Payload[] {
  return calls.map((one) => {
    const call = "quiet" in one ? one.quiet : one;
    return { name: wordsOf(call), call, prompts: !("quiet" in one), ...recording };
  });
}
