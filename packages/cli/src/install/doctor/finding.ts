/** Who can fix something. */
export type Fixer = "you" | "project" | "administrator" | "client";

/** Something that does not guard, or that the user should know. */
export interface Finding {
  /** Stable, for programs. */
  readonly code: string;
  /** `gap`: calls may run undecided, or none can be decided. `note`: it guards, and something could be better. */
  readonly severity: "gap" | "note";
  /** The client or the part that it is about. */
  readonly about: string;
  readonly message: string;
  readonly fix: string;
  readonly who: Fixer;
}

/** One line of the overview: a part, and what is known of it. */
export interface Fact {
  readonly about: string;
  readonly text: string;
}

/** What one check has found. */
export interface Checked {
  readonly facts: readonly Fact[];
  readonly findings: readonly Finding[];
}

export function gap(finding: Omit<Finding, "severity">): Finding {
  return { severity: "gap", ...finding };
}

export function note(finding: Omit<Finding, "severity">): Finding {
  return { severity: "note", ...finding };
}
