import { terminalText } from "@toolkeep/core/internal";

/** The most unread characters that are kept. */
const MOST_UNREAD = 1_000_000;

export interface UnreadPiece {
  readonly text: string;
  /** The number of characters dropped unread since the last read. */
  readonly lost: number;
  /** Whether there is more to read. */
  readonly hasMore: boolean;
}

/** The output of a command since the last read. Drops the oldest when there is too much. */
export class UnreadOutput {
  #text = "";
  #lost = 0;

  get isEmpty(): boolean {
    return this.#text === "";
  }

  push(text: string): void {
    this.#text += text;
    // Not at every chunk: cutting copies.
    if (this.#text.length > 2 * MOST_UNREAD) this.#shorten();
  }

  /** Takes at most `most` characters from the start: whole lines if there are any. */
  take(most: number, isOver: boolean): UnreadPiece {
    this.#shorten();
    const end = this.#endOfPiece(most, isOver);
    const text = terminalText(this.#text.slice(0, end));
    const lost = this.#lost;
    this.#text = this.#text.slice(end);
    this.#lost = 0;
    return { text, lost, hasMore: this.#text.includes("\n") || (isOver && this.#text !== "") };
  }

  /** Keeps an incomplete line, so that no word is split. */
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

/** The same index, or the one before if it would split a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
