import type { PlainLoop } from "./plain-line.ts";
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
  /** Where its only `cd` began, but for those that go nowhere: there it stays if that fails. */
  left?: string | undefined;
  /** Where it led to, if what comes after its `||` is not needed. */
  passed?: Pick<Way, "at" | "isSure"> | undefined;
  /** The last command ends the shell. */
  hasEnded: boolean;
  /** The last command was a `cd`. */
  hasMoved: boolean;
  /** Another command of the list comes before: what follows it by `&&` may be left out. */
  hasOthers: boolean;
  /** The list has a `cd`, whether or not it runs. */
  hasGone: boolean;
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

  /** The list of commands may have moved: zsh and fish do so in front, though a `&` ends the list. */
  get isAway(): boolean {
    return this.#way.hasGone || this.#way.at !== this.#way.start.at;
  }

  /** A command was read. A word that is not known is `undefined`. */
  command([name, to, ...more]: readonly (string | undefined)[]): void {
    const way = this.#way;
    const isReached = way.passed !== undefined || (!way.hasOthers && way.before === undefined);
    const isExit = name === "exit" && /^\d*$/.test(to ?? "") && more.length === 0;
    way.hasEnded = isExit && isReached && !way.isPart;
    way.hasMoved = name === "cd";
    way.hasGone ||= way.hasMoved;
    if (!way.hasMoved) way.hasOthers = true;
    else {
      const isClear = to !== undefined && more.length === 0 && !way.isPart && !way.isLoose;
      const next = isClear ? this.#next(to) : undefined;
      way.left = way.before === undefined || way.left === way.at ? way.at : undefined;
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
    const { passed, hasEnded } = way;
    const isOver = sign === ";" || sign === "\n";
    way.isPart = sign === "|";
    way.passed = undefined;
    if (passed !== undefined && hasEnded && !way.isPart) {
      Object.assign(way, { ...passed, hasMoved: false, mayStay: false });
      if (isOver) this.#way = newWay(passed, way.isLoose);
      if (isOver || sign === "&&") return;
    } else if (passed !== undefined && passed.at !== way.at) way.at = undefined;
    if (sign === "&&") return;
    if (sign === "&") {
      this.#way = newWay(way.start, way.isLoose);
      return;
    }
    const { at, isSure } = way;
    if (sign === "||") way.passed = { at, isSure };
    if (sign === "||" && way.hasMoved && at !== undefined) way.at = way.left;
    else if (way.mayStay || (!isOver && way.hasMoved)) way.at = undefined;
    way.isSure &&= way.at === way.start.at;
    way.before = undefined;
    if (isOver) this.#way = { ...newWay(way, way.isLoose), hasEnded: hasEnded && passed === undefined };
  }

  /** A group, a subshell, or a part of a condition or a loop begins. */
  enter(kind: "group" | "subshell" | "part"): void {
    this.#outer.push(this.#way);
    this.#way = newWay(this.#way, kind === "part" || (kind === "group" && this.#way.isLoose));
  }

  /** It ends. A subshell moves for itself alone. */
  leave(isSubshell = false): void {
    const { at, hasEnded, hasGone, isLoose } = this.#way;
    this.#way = this.#outer.pop() ?? this.#way;
    this.#way.hasGone ||= hasGone && !isSubshell;
    if (!isSubshell && at !== this.#way.at) this.#way.at = undefined;
    this.command(hasEnded && !isSubshell && !isLoose ? ["exit"] : []);
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
  const fresh = {
    ...{ hasMoved: false, hasOthers: false, hasGone: false, mayStay: false, isPart: false, hasEnded: false },
  };
  return { ...start, ...fresh, start, isLoose };
}

const FOLDER_NAME = /^(?!\.\.?(?:\/|$))[\w@.][\w@+.-]*$/;

/** A word without quotes, as far as it is known without running anything. A variable of a loop is between zeros. */
export function literalOf(
  { parts }: PlainWord,
  home: string,
  loops: readonly PlainLoop[],
): string | undefined {
  const texts = parts.map((part) => {
    if (typeof part === "string") return part;
    const variable = "variable" in part ? part.variable : "";
    const loop = loops.findLast((one) => one.variable === variable);
    if (loop?.words.every(({ raw, isWild }) => FOLDER_NAME.test(raw) && !isWild)) return `\0${variable}\0`;
    return loop === undefined && variable === "HOME" ? home : variable === "PWD" ? "." : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
}
