/** One call, as the journal records it. */
export interface LoggedCall {
  /** The time of the first event of the call, in milliseconds since the epoch. */
  readonly at: number;
  /** The time of the last event, or of what the client reported. */
  readonly changedAt: number;
  readonly sessionId: string;
  readonly turn: string;
  readonly callId: string;
  /** The user on whose behalf it was made, if the record names one. */
  readonly user?: string;
  readonly tool: string;
  /** The effects that were resolved for the call. */
  readonly effects: readonly string[];
  /** `delegated`: the client asks its user; the answer is unknown. `noticed`: no call; hooks of a client were removed. */
  readonly decision: "allowed" | "denied" | "refused" | "waiting" | "delegated" | "noticed";
  /** The rule, the watchdog, the mode or the stage that decided. */
  readonly by?: string;
  /** Where that rule is written. */
  readonly ruleAt?: string;
  /** What the rules on trial would have made of it. */
  readonly shadow?: { readonly action: string; readonly reason: string };
  /** Why approval was needed, or why the call was not run. */
  readonly reason?: string;
  /** The approver, if one answered. */
  readonly person?: string;
  /**
   * `done` or a failure code. Of a call that a client runs: `ran`, `failed`, `started` (in the background) or `refused`
   * as far as the client reported it, otherwise `unknown`. Absent while the call runs or waits.
   */
  readonly outcome?: string;
  /** What the tool threw, with its stack, if it crashed. */
  readonly crash?: string;
}
