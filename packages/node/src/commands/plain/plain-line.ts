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
  /** A `&` touches the word after it. */
  readonly isTight: boolean;
}

/** The commands, or why the line is not plain. */
export type PlainReading = PlainLine | { readonly commands?: undefined; readonly reason: string };

/** The here-documents that `cat` prints into an arg. */
export function printedIn({ parts }: PlainWord): readonly string[] {
  return parts.flatMap((part) => (typeof part === "object" && "printed" in part ? [part.printed] : []));
}
