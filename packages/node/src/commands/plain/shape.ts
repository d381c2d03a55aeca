/** A redirect as it is written: which output or input, how, and the file, or the text that is fed. */
export type RedirectShape = readonly [fd: string, operator: string, target: string];

/** One command as every parser must see it. */
export interface CommandShape {
  /** Without quotes; what a shell puts in later is as it is written. */
  readonly words: readonly string[];
  /** `NAME=value` before them. */
  readonly assignments: readonly string[];
  readonly redirects: readonly RedirectShape[];
  /** The here-documents that `cat` prints into its args. */
  readonly printed: readonly string[];
}

/** The same text for the same command. */
export function shapeText({ words, assignments, redirects, printed }: CommandShape): string {
  return JSON.stringify([words, assignments, redirects, printed]);
}
