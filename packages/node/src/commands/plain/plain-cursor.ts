import { matchAt, type PlainWord, readWord } from "./plain-word.ts";

/** Thrown with the reason why a line is not plain. */
export class NotPlain extends Error {}

const BLANK = /[ \t](?:[ \t]|\\\n)*/y;
/** Even without its `#` it would be no more than words. After a line that continues, fish continues behind the comment too. */
const COMMENT = /(?<!\\\n[ \t]*)#[^'"`$\\;&|<>(){}\p{Cc}]*(?=\n|$)/uy;

/** A position in a command line, and what is read from there: blanks, comments, keywords and args. */
export class PlainCursor {
  readonly line: string;
  readonly home: string;
  at = 0;
  /** Where the here-document ends whose lines are still to come. */
  #documentEnd: number | undefined;

  constructor(line: string, home: string) {
    this.line = line;
    this.home = home;
  }

  /** The character at the position; nothing at the end. */
  get next(): string {
    return this.line.charAt(this.at);
  }

  get isComment(): boolean {
    return matchAt(COMMENT, this.line, this.at) !== "";
  }

  /** A keyword, or a sign that is treated as one: it is a word of its own. */
  isAt(keyword: string): boolean {
    if (!this.line.startsWith(keyword, this.at)) return false;
    const next = this.line.charAt(this.at + keyword.length);
    return keyword === ")" || next === "" || /[ \t\n;&|)]/.test(next);
  }

  take(pattern: RegExp): string {
    const found = matchAt(pattern, this.line, this.at);
    this.at += found.length;
    return found;
  }

  skipBlanks(): void {
    this.take(BLANK);
  }

  skipComment(): void {
    this.take(COMMENT);
  }

  /** Blanks, comments, ends of lines, and the here-documents after these. */
  skipLines(): void {
    for (;;) {
      this.skipBlanks();
      this.skipComment();
      if (this.next !== "\n") return;
      this.at = this.#documentEnd ?? this.at + 1;
      this.#documentEnd = undefined;
    }
  }

  /** Its lines come after the line it is in. */
  waitFor(documentEnd: number): void {
    if (this.#documentEnd !== undefined) throw new NotPlain("it has more than one here-document in a line");
    this.#documentEnd = documentEnd;
  }

  /** A `!` among args, as `find` and `test` have it. */
  sign(isArg: boolean): PlainWord | undefined {
    if (!isArg || !this.isAt("!")) return undefined;
    this.at += 1;
    return { raw: "!", parts: ["!"], isWild: false, text: "!", end: this.at };
  }

  word(isName = false): PlainWord {
    const word = readWord(this.line, this.at, { home: this.home, isName });
    if (typeof word === "string") throw new NotPlain(word);
    this.at = word.end;
    return word;
  }
}
