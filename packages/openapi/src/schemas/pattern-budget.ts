import { isUsablePattern, patternSize } from "@toolkeep/core/internal";

/** The limit for all patterns of a document together, with their repetitions expanded. */
const LARGEST = 30_000;

/** Which patterns of a document are matched. A tool that is called keeps them all in memory. */
export class PatternBudget {
  readonly #known = new Map<string, boolean>();
  #left = LARGEST;

  /** Returns the same answer each time. Patterns beyond the limit are not matched. */
  takes(pattern: string): boolean {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known;
    const size = isUsablePattern(pattern) ? patternSize(pattern) : Number.POSITIVE_INFINITY;
    const isTaken = size <= this.#left;
    if (isTaken) this.#left -= size;
    this.#known.set(pattern, isTaken);
    return isTaken;
  }
}
