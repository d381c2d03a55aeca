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

export const NOTHING: Checked = { facts: [], findings: [] };

/** How checks report about one part: its line in the overview with `is`, and findings that `who` can fix. */
export function part(about: string, who: Fixer = "you") {
  const finding =
    (severity: Finding["severity"]) =>
    (code: string, message: string, fix: string): Finding => ({ severity, code, about, message, fix, who });
  return {
    gap: finding("gap"),
    note: finding("note"),
    is: (text: string, ...findings: readonly Finding[]): Checked => ({ facts: [{ about, text }], findings }),
  };
}

/** The results of several checks as one. */
export function together(all: readonly Checked[]): Checked {
  return { facts: all.flatMap(({ facts }) => facts), findings: all.flatMap(({ findings }) => findings) };
}
