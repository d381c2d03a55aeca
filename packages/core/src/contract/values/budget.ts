/** What a turn may still spend. An explicit value: children charge their parent's. */
export interface Budget {
  /** Takes the cost of one call, or nothing at all. `false` when it does not fit. */
  charge(argsText: string): boolean;
  /** Says what is left, for the failure. */
  describe(): string;
  reset(): void;
}
