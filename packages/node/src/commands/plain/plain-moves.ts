import type { PlainWord } from "./plain-word.ts";

/** Where the commands of a shell, or of a group, run as far as `cd` leads. */
interface Way {
  /** From where the line begins; empty there. `undefined`: not certain. */
  at: string | undefined;
  /** No `cd` on the way there can have failed unnoticed, so that a relative one leads where it says. */
  isSure: boolean;
  /** Before the list of commands that ends with the next `;` or `&`. */
  readonly start: { readonly at: string | undefined; readonly isSure: boolean };
  /** Where the last `cd` of this list began, for `cd -`. */
  before?: string | undefined;
  /** The last command was a `cd`. */
  hasMoved: boolean;
  /** Another command of the list comes before: what follows it by `&&` may be left out. */
  hasOthers: boolean;
  /** The list has a `cd` that may be left out. */
  mayStay: boolean;
  /** The next command is negated or one of several in a pipe. */
  isPart: boolean;
  /** In a condition or a loop it is not certain whether a `cd` runs. */
  readonly isLoose: boolean;
}

const DOWN = /^(?![/~-])(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]+$/;
const UP = /^(?:\.\.\/)*\.\.\/?$/;
const ABSOLUTE = /^\/(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]*$/;

/**
 * Follows each `cd` of a line. A shell keeps the names by which it came to a folder, so that what went down comes up
 * again the same way. Whether a folder is there is for the disk to say.
 */
export class PlainMoves {
  #way = newWay({ at: "", isSure: true }, false);
  readonly #outer: Way[] = [];

  /** Where the next command runs; `undefined` where that is not certain. */
  get folder(): string | undefined {
    return this.#way.at;
  }

  /** A command was read. A word that is not known is `undefined`. */
  command([name, to, ...more]: readonly (string | undefined)[]): void {
    const way = this.#way;
    way.hasMoved = name === "cd";
    if (!way.hasMoved) way.hasOthers = true;
    else {
      const isClear = to !== undefined && more.length === 0 && !way.isPart && !way.isLoose;
      const next = isClear ? this.#next(to) : undefined;
      way.before = way.at;
      way.at = next;
      way.mayStay ||= way.hasOthers;
    }
  }

  /** The next command is negated. */
  negate(): void {
    this.#way.isPart = true;
  }

  /** What separates two commands was read. */
  operator(sign: string): void {
    const way = this.#way;
    way.isPart = sign === "|";
    if (sign === "&&") return;
    if (sign === "&") {
      this.#way = newWay(way.start, way.isLoose);
      return;
    }
    const isChoice = sign === "|" || sign === "||";
    if (way.mayStay || (isChoice && way.hasMoved)) way.at = undefined;
    way.isSure &&= way.at === way.start.at;
    way.before = undefined;
    if (!isChoice) this.#way = newWay(way, way.isLoose);
  }

  /** A group, a condition, a loop or a subshell begins. */
  enter(isLoose = false): void {
    this.#outer.push(this.#way);
    this.#way = newWay(this.#way, isLoose || this.#way.isLoose);
  }

  /** It ends. A subshell moves for itself alone. */
  leave(isSubshell = false): void {
    const { at } = this.#way;
    this.#way = this.#outer.pop() ?? this.#way;
    if (!isSubshell && at !== this.#way.at) this.#way.at = undefined;
    this.command([]);
  }

  #next(to: string): string | undefined {
    const { at, before, isSure } = this.#way;
    if (ABSOLUTE.test(to)) return to.replace(/(?<=[^/])\/+$/, "");
    if (at === undefined || !isSure) return undefined;
    if (to === "-") return before;
    const names = at.split("/").filter((name) => name !== "");
    const given = to.split("/").filter((name) => name !== "" && name !== ".");
    const isAbsolute = at.startsWith("/");
    if (DOWN.test(to)) return `${isAbsolute ? "/" : ""}${[...names, ...given].join("/")}`;
    const isBack = UP.test(to) && given.length <= names.length && !isAbsolute;
    return isBack ? names.slice(0, names.length - given.length).join("/") : undefined;
  }
}

function newWay({ at, isSure }: Pick<Way, "at" | "isSure">, isLoose: boolean): Way {
  const start = { at, isSure };
  return { ...start, start, isLoose, hasMoved: false, hasOthers: false, mayStay: false, isPart: false };
}

/** A word without quotes, as far as it is known without running anything. */
export function literalOf({ parts }: PlainWord, home: string): string | undefined {
  const known = new Map([
    ["HOME", home],
    ["PWD", "."],
  ]);
  const texts = parts.map((part) => {
    if (typeof part === "string") return part;
    return "variable" in part ? known.get(part.variable) : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
}
