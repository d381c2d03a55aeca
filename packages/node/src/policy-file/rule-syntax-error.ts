/** Why a line is no rule: thrown while it is read, and turned into a problem of the file. */
export class RuleSyntaxError extends Error {
  /** Where in the line, counted from 0. */
  readonly offset: number;
  /** What to write instead. */
  readonly instead: string | undefined;

  constructor(message: string, offset: number, instead?: string) {
    super(message);
    this.offset = offset;
    this.instead = instead;
  }
}
