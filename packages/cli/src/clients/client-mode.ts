/** What a client does with calls in its current mode, as far as its hook says. */
export interface ClientMode {
  /** The client's own name for it. */
  readonly name: string;
  /** Whether the client continues by itself if the hook decides nothing. If not, the hook has to say `allow`. */
  readonly canLeave: boolean;
  /** What the client asks its user about by itself if the hook decides nothing. */
  readonly asks: "calls" | "calls-but-edits" | "nothing";
  /** Whether nothing may be changed. */
  readonly isReadOnly: boolean;
  /** Whether a user is there who sees a question of the hook and answers it. */
  readonly hasPerson: boolean;
  /** Whether the mode refuses what it would have to ask about. */
  readonly refusesAsks: boolean;
  /** Whether a mild objection is left to the client: its user wants few questions, or it asks by itself. */
  readonly isMildLeft: boolean;
}

/** The client does not say its mode, so nothing is known to be asked by itself. */
export const UNKNOWN_MODE: ClientMode = Object.freeze({
  name: "unknown",
  canLeave: true,
  asks: "nothing",
  isReadOnly: false,
  hasPerson: true,
  refusesAsks: false,
  isMildLeft: false,
});
