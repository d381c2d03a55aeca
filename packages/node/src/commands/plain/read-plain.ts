import { NotPlain, PlainCursor } from "./plain-cursor.ts";
import { type PlainCommand, type PlainLoop, type PlainReading, printedIn } from "./plain-line.ts";
import { literalOf, PlainMoves } from "./plain-moves.ts";
import { type PlainRedirect, readRedirect, startsRedirect } from "./plain-redirect.ts";
import { characterError, matchAt, type PlainWord } from "./plain-word.ts";
import { shapeText } from "./shape.ts";

export const SETS_VARIABLES = "it sets variables, which may change what its programs do";

const DEEPEST = 4;

/**
 * Reads plain command lines: args, quoted or not, redirects to files that are named, the operators between commands,
 * groups, conditions and loops over what is written out. It supports nothing else on purpose. Where this reading and
 * the parsers' agree, there is nothing that all of them could have misunderstood in the same way.
 */
export function readPlain(
  line: string,
  { home, isFed = false }: { readonly home: string; readonly isFed?: boolean },
): PlainReading {
  const reader = new PlainReader(line, home, isFed);
  try {
    reader.readList([]);
    return { commands: reader.commands, shape: reader.shape, isTight: reader.isTight };
  } catch (error) {
    if (error instanceof NotPlain) return { reason: error.message };
    throw error;
  }
}

/** A `|&` is none. */
const OPERATOR = /&&|\|\||;(?!;)|\|(?!&)|&(?![&>])|\n/y;
/** A line that begins with a dash or a plus would be an option to the shell that it is given to. */
const PLAIN_NAME = /^(?:[\w@:,./][\w@+:,./-]*|\[)$/;
const KEYWORDS: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac in select function coproc time [[ ! { }".split(" "),
);
/** Programs look at variables with capitals and with underscores in their names. */
const LOOP_VARIABLE = /^[a-z][a-z0-9]{0,15}$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

class PlainReader {
  readonly commands: PlainCommand[] = [];
  readonly shape: string[] = [];
  isTight = false;
  readonly #cursor: PlainCursor;
  readonly #moves = new PlainMoves();
  #loops: readonly PlainLoop[] = [];
  #depth = 0;
  #isPiped: boolean;

  constructor(line: string, home: string, isFed: boolean) {
    this.#cursor = new PlainCursor(line, home);
    this.#isPiped = isFed;
  }

  /** Commands up to one of these keywords, which is taken, or to the end. */
  readList(closing: readonly string[]): string {
    const first = this.shape.length;
    let needed: string | undefined;
    for (;;) {
      this.#cursor.skipLines();
      const close = closing.find((keyword) => this.#cursor.isAt(keyword));
      if (close !== undefined && needed === undefined) {
        if (this.shape.length === first) throw new NotPlain("there is no command in a part of it");
        this.#cursor.at += close.length;
        return close;
      }
      if (this.#cursor.at >= this.#cursor.line.length) {
        if (closing.length > 0 || needed !== undefined) throw new NotPlain("something in it does not end");
        return "";
      }
      this.#readPipeline();
      needed = this.#readSeparator(closing);
    }
  }

  /** The operator after a pipeline, if a command must follow it. */
  #readSeparator(closing: readonly string[]): string | undefined {
    this.#cursor.skipBlanks();
    this.#cursor.skipComment();
    const operator = this.#cursor.take(OPERATOR);
    if (operator === "") {
      const isEnd =
        this.#cursor.at >= this.#cursor.line.length || (closing.includes(")") && this.#cursor.next === ")");
      if (!isEnd) throw new NotPlain(characterError(this.#cursor.line, this.#cursor.at));
      return undefined;
    }
    this.#moves.operator(operator);
    if (operator === "\n") {
      this.#cursor.at -= 1;
      return undefined;
    }
    this.shape.push(operator);
    this.isTight ||= operator === "&" && /\S/.test(this.#cursor.next);
    return operator === "&&" || operator === "||" ? operator : undefined;
  }

  #readPipeline(): void {
    if (this.#cursor.isAt("!")) {
      this.#cursor.at += 1;
      this.shape.push("!");
      this.#moves.negate();
      this.#cursor.skipBlanks();
    }
    if (this.#cursor.isAt("time")) {
      this.#cursor.at += "time".length;
      this.shape.push("time");
      this.#cursor.skipBlanks();
      if (/[-!({\n]/.test(this.#cursor.next)) throw new NotPlain("`time` is a keyword of the shell");
    }
    const wasPiped = this.#isPiped;
    for (;;) {
      this.#readCommand();
      this.#cursor.skipBlanks();
      if (matchAt(OPERATOR, this.#cursor.line, this.#cursor.at) !== "|") break;
      this.#cursor.at += 1;
      this.shape.push("|");
      this.#moves.operator("|");
      this.#cursor.skipLines();
      this.#isPiped = true;
    }
    this.#isPiped = wasPiped;
  }

  #readCommand(): void {
    if (this.#cursor.isAt("{")) this.#readGroup("{", "}");
    else if (this.#cursor.next === "(" && this.#cursor.line[this.#cursor.at + 1] !== "(")
      this.#readGroup("(", ")");
    else if (this.#cursor.isAt("for")) this.#readLoop();
    else if (this.#cursor.isAt("if")) this.#readCondition();
    else this.#readSimple();
  }

  #readGroup(open: string, close: string): void {
    const first = this.commands.length;
    this.#cursor.at += 1;
    this.shape.push(open);
    this.#moves.enter();
    this.#inside(() => this.readList([close]));
    this.#moves.leave(open === "(");
    this.shape.push(close);
    this.#readGroupRedirects(first);
  }

  /** What a group redirects comes before its commands, as in the tree of the first parser. */
  #readGroupRedirects(first: number): void {
    const redirects = this.#readRedirects();
    if (redirects.some(({ body }) => body !== undefined)) throw new NotPlain("a group in it is fed");
    if (redirects.length === 0) return;
    const { length } = this.commands;
    this.#addCommand([], [], redirects);
    if (this.commands.length > length) this.commands.splice(first, 0, ...this.commands.splice(length));
  }

  #readLoop(): void {
    this.#cursor.at += "for".length;
    this.#cursor.skipBlanks();
    const variable = this.#cursor.word();
    this.#cursor.skipBlanks();
    const isNamed = LOOP_VARIABLE.test(variable.text) && this.#cursor.isAt("in");
    if (!isNamed) throw new NotPlain("`for` is a keyword of the shell");
    this.#cursor.at += "in".length;
    const words = this.#words();
    if (words.length === 0 || words.some(({ parts }) => !parts.every((part) => typeof part === "string")))
      throw new NotPlain("a loop in it goes over what is not written out");
    this.shape.push(`for ${JSON.stringify([variable.raw, ...words.map(({ raw }) => raw)])}`);
    this.#cursor.skipBlanks();
    if (!/[;\n]/.test(this.#cursor.next)) throw new NotPlain("`for` is a keyword of the shell");
    if (this.#cursor.next === ";") this.#cursor.at += 1;
    this.#cursor.skipLines();
    if (!this.#cursor.isAt("do")) throw new NotPlain("`for` is a keyword of the shell");
    this.#cursor.at += "do".length;
    const before = this.#loops;
    const first = this.commands.length;
    this.#loops = [...before, { variable: variable.raw, words }];
    this.shape.push("do");
    this.#moves.enter(true);
    this.#inside(() => this.readList(["done"]));
    this.#moves.leave();
    this.shape.push("done");
    this.#loops = before;
    this.#readGroupRedirects(first);
  }

  #readCondition(): void {
    const first = this.commands.length;
    this.#cursor.at += "if".length;
    this.shape.push("if");
    this.#moves.enter(true);
    this.#inside(() => {
      for (let keyword = ""; keyword !== "fi"; ) {
        const allowed = keyword === "else" ? ["fi"] : keyword === "then" ? ["elif", "else", "fi"] : ["then"];
        keyword = this.readList(allowed);
        this.shape.push(keyword);
      }
    });
    this.#moves.leave();
    this.#readGroupRedirects(first);
  }

  #inside(read: () => void): void {
    if (this.#depth >= DEEPEST) throw new NotPlain("it is nested too deep");
    this.#depth += 1;
    read();
    this.#depth -= 1;
  }

  #readSimple(): void {
    const assignments: PlainWord[] = [];
    const words = this.#words((word) => {
      const isAssignment = ASSIGNMENT.test(word.text);
      if (isAssignment) assignments.push(word);
      return isAssignment;
    });
    const [name] = words;
    if (name === undefined) {
      if (assignments.length > 0) throw new NotPlain(SETS_VARIABLES);
      throw new NotPlain(this.#nothingHere());
    }
    if (name.parts.some((part) => typeof part !== "string") || !PLAIN_NAME.test(name.raw))
      throw new NotPlain(nameError(name.raw));
    if (KEYWORDS.has(name.raw)) throw new NotPlain(`\`${name.raw}\` is a keyword of the shell`);
    this.#addCommand(words, assignments, this.#readRedirects());
  }

  #nothingHere(): string {
    const operator = matchAt(OPERATOR, this.#cursor.line, this.#cursor.at);
    if (operator !== "") return `there is nothing before \`${operator}\``;
    return characterError(this.#cursor.line, this.#cursor.at);
  }

  #addCommand(
    words: readonly PlainWord[],
    assignments: readonly PlainWord[],
    redirects: readonly PlainRedirect[],
  ): void {
    this.shape.push(
      shapeText({
        words: words.map(({ raw }) => raw),
        assignments: assignments.map(({ raw }) => raw),
        redirects: redirects.map(({ fd, operator, target, body }) => [fd, operator, target ?? body ?? ""]),
        printed: words.flatMap(printedIn),
      }),
    );
    const { folder } = this.#moves;
    if (folder === undefined) throw new NotPlain("`cd` may not be where the commands after it run");
    const isPiped = this.#isPiped;
    this.commands.push({ words, assignments, redirects, loops: this.#loops, folder, isPiped });
    this.#moves.command(words.map((word) => literalOf(word, this.#cursor.home)));
  }

  /** Args up to what is none. Those that `isTaken` takes come before the others. */
  #words(isTaken: (word: PlainWord) => boolean = () => false): readonly PlainWord[] {
    const words: PlainWord[] = [];
    for (;;) {
      this.#cursor.skipBlanks();
      const next = this.#cursor.next;
      const isEnd = next === "" || /[\n;&|()<>]/.test(next) || this.#isRedirect();
      if (isEnd || this.#cursor.isComment) return words;
      const word = this.#cursor.sign(words.length > 0) ?? this.#cursor.word(words.length === 0);
      if (words.length > 0 || !isTaken(word)) words.push(word);
    }
  }

  #isRedirect(): boolean {
    return startsRedirect(this.#cursor.line, this.#cursor.at);
  }

  /** Only at the end of a command, where every shell and parser sees the same. */
  #readRedirects(): readonly PlainRedirect[] {
    const redirects: PlainRedirect[] = [];
    for (;;) {
      this.#cursor.skipBlanks();
      const found = readRedirect(this.#cursor.line, this.#cursor.at, this.#cursor.home);
      if (found === undefined) break;
      if ("reason" in found) throw new NotPlain(found.reason);
      redirects.push(found.redirect);
      this.#cursor.at = found.end;
      if (found.documentEnd !== undefined) this.#cursor.waitFor(found.documentEnd);
    }
    this.#cursor.skipBlanks();
    const next = this.#cursor.next;
    const isEnd = next === "" || /[\n;&|)]/.test(next) || this.#cursor.isComment;
    if (!isEnd || matchAt(/&>/y, this.#cursor.line, this.#cursor.at) !== "")
      throw new NotPlain(
        redirects.length === 0 || /[<>]/.test(next)
          ? characterError(this.#cursor.line, this.#cursor.at)
          : "it has words after a redirect",
      );
    return redirects;
  }
}

function nameError(name: string): string {
  if (name.includes("=")) return SETS_VARIABLES;
  return "the name of a command is a pattern or not plain";
}
