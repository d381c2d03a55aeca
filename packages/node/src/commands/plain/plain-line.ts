import type { PlainRedirect } from "./plain-redirect.ts";
import type { PlainWord } from "./plain-word.ts";

/** One command of a plain line, or what is redirected of a group. */
export interface PlainCommand {
  readonly words: readonly PlainWord[];
  readonly assignments: readonly PlainWord[];
  readonly redirects: readonly PlainRedirect[];
  /** The loops around it, from the outermost. */
  readonly loops: readonly PlainLoop[];
  /** The folder that it runs in, from where the line begins. */
  readonly folder: string;
  /** A pipe leads into it. */
  readonly isPiped: boolean;
  /** The one command whose output that is. */
  readonly source: PlainCommand | undefined;
}

export interface PlainLoop {
  readonly variable: string;
  readonly words: readonly PlainWord[];
}

/** The commands of a line that needs no shell to be understood. */
export interface PlainLine {
  readonly commands: readonly PlainCommand[];
  /** What separates commands, and everything else that gives a line its shape, in order; ends of lines left out. */
  readonly shape: readonly string[];
  /** Why fish runs something else. */
  readonly inFish: string | undefined;
}

/** The commands, or why the line is not plain. */
export type PlainReading = PlainLine | { readonly commands?: undefined; readonly reason: string };

/** The here-documents that `cat` prints into an arg. */
export function printedIn({ parts }: PlainWord): readonly string[] {
  return parts.flatMap((part) => (typeof part === "object" && "printed" in part ? [part.printed] : []));
}

/** Programs look at variables with capitals and with underscores in their names. */
export const LOOP_VARIABLE = /^[a-z][a-z0-9]{0,15}$/;

/** The names after `read` stand for what it gets, which is not known. */
export function fedLoops(read: PlainCommand | undefined): readonly PlainLoop[] {
  const names = (read?.words ?? []).slice(1).filter(({ raw }) => LOOP_VARIABLE.test(raw));
  return names.map(({ raw, ...word }) => {
    const part = { variable: raw, isQuoted: true };
    return { variable: raw, words: [{ ...word, raw: `$${raw}`, parts: [part] }] };
  });
}
