import { isUsablePattern, patternSize } from "@toolkeep/core/internal";

/** Parts that the patterns of a document may have together, once their repetitions are written out. */
const LARGEST = 30_000;

/** Which patterns of a document values are held against. A tool that is called keeps them all in memory. */
export class PatternBudget {
  readonly #known = new Map<string, boolean>();
  #left = LARGEST;

  /** The same answer each time. Those that come when there is no room any more are not matched. */
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
