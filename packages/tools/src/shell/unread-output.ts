import { terminalText } from "@toolkeep/core/internal";

/** What is kept of output that nobody has read yet. */
const MOST_UNREAD = 1_000_000;

export interface UnreadPiece {
  readonly text: string;
  /** Characters that were pushed out before anybody read them, since the last look. */
  readonly lost: number;
  /** There is more to read already. */
  readonly hasMore: boolean;
}

/** The output of a command since it was last looked at. The newest stays when there is too much. */
export class UnreadOutput {
  #text = "";
  #lost = 0;

  get isEmpty(): boolean {
    return this.#text === "";
  }

  push(text: string): void {
    this.#text += text;
    // Not at every piece: cutting copies.
    if (this.#text.length > 2 * MOST_UNREAD) this.#shorten();
  }

  /** Takes the oldest of it, at most so many characters: whole lines where there are any. */
  take(most: number, isOver: boolean): UnreadPiece {
    this.#shorten();
    const end = this.#endOfPiece(most, isOver);
    const text = terminalText(this.#text.slice(0, end));
    const lost = this.#lost;
    this.#text = this.#text.slice(end);
    this.#lost = 0;
    return { text, lost, hasMore: this.#text.includes("\n") || (isOver && this.#text !== "") };
  }

  /** A line that is still being written stays back, so that no word of it is cut in two. */
  #endOfPiece(most: number, isOver: boolean): number {
    const isWhole = this.#text.length <= most;
    if (isWhole && isOver) return this.#text.length;
    const lineEnd = this.#text.lastIndexOf("\n", most - 1) + 1;
    if (lineEnd > 0) return lineEnd;
    return isWhole ? this.#text.length : betweenCharacters(this.#text, most);
  }

  #shorten(): void {
    const excess = this.#text.length - MOST_UNREAD;
    if (excess <= 0) return;
    const start = betweenCharacters(this.#text, excess);
    this.#text = this.#text.slice(start);
    this.#lost += start;
  }
}

/** The same place, or the one before it if that would cut a character in two. */
function betweenCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
