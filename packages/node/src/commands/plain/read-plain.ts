import { whyNotNamed, whySet } from "./command-name.ts";
import { NotPlain, PlainCursor } from "./plain-cursor.ts";
import { fedLoops, LOOP_VARIABLE, type PlainCommand, type PlainReading, printedIn } from "./plain-line.ts";
import { literalOf, PlainMoves } from "./plain-moves.ts";
import { type PlainRedirect, readRedirect, startsRedirect } from "./plain-redirect.ts";
import { characterError, matchAt, type PlainWord } from "./plain-word.ts";
import { shapeText } from "./shape.ts";
import { AFTER } from "./shell-names.ts";

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
    return { commands: reader.commands, shape: reader.shape, inFish: reader.inFish };
  } catch (error) {
    if (error instanceof NotPlain) return { reason: error.message };
    throw error;
  }
}

/** A `|&` is none. */
const OPERATOR = /&&|\|\||;(?!;)|\|(?!&)|&(?![&>])|\n/y;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

class PlainReader {
  readonly commands: PlainCommand[] = [];
  readonly shape: string[] = [];
  inFish: string | undefined;
  readonly #cursor: PlainCursor;
  readonly #moves = new PlainMoves();
  #loops: PlainCommand["loops"] = [];
  /** What is read now runs in one shell again and again. */
  #isRepeated = false;
  #depth = 0;
  #isPiped: boolean;
  #source: PlainCommand | undefined;

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
    if (operator === "&" && this.#moves.isAway)
      this.inFish = "in which folder the commands after `&` run depends on the shell";
    this.#moves.operator(operator);
    if (operator === "\n") {
      this.#cursor.at -= 1;
      return undefined;
    }
    this.shape.push(operator);
    if (operator === "&" && /\S/.test(this.#cursor.next))
      this.inFish = "`&` within a word is a letter in fish";
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
      // Dash has a program of this name.
      this.#moves.negate();
      this.#cursor.skipBlanks();
      if (/[-!({\n]/.test(this.#cursor.next)) throw new NotPlain("`time` is a keyword of the shell");
    }
    const wasPiped = this.#isPiped;
    for (;;) {
      const { length } = this.shape;
      this.#readCommand();
      this.#source = this.shape.length === length + 1 ? this.commands.at(-1) : undefined;
      this.#cursor.skipBlanks();
      if (matchAt(OPERATOR, this.#cursor.line, this.#cursor.at) !== "|") break;
      this.#cursor.at += 1;
      this.shape.push("|");
      this.#moves.operator("|");
      this.#cursor.skipLines();
      this.#isPiped = true;
    }
    this.#isPiped = wasPiped;
    this.#source = undefined;
  }

  #readCommand(): void {
    if (this.#cursor.isAt("{")) this.#readGroup("{", "}");
    else if (this.#cursor.next === "(" && this.#cursor.line[this.#cursor.at + 1] !== "(")
      this.#readGroup("(", ")");
    else if (this.#cursor.isAt("for")) this.#readLoop();
    else {
      const keyword = ["if", "while", "until"].find((one) => this.#cursor.isAt(one));
      if (keyword === undefined) this.#readSimple();
      else this.#readParts(keyword);
    }
  }

  #readGroup(open: string, close: string): void {
    const first = this.commands.length;
    const isSubshell = open === "(";
    this.#cursor.at += 1;
    this.shape.push(open);
    this.#moves.enter(isSubshell ? "subshell" : "group");
    this.#inside(this.#isRepeated && !isSubshell, () => this.readList([close]));
    this.#moves.leave(isSubshell);
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
    if (isNamed) this.#cursor.at += "in".length;
    const words = this.#words("operands");
    if (words.length === 0 || words.some(({ parts }) => !parts.every((part) => typeof part === "string")))
      throw new NotPlain("a loop in it goes over what is not written out");
    this.shape.push(`for ${JSON.stringify([variable.raw, ...words.map(({ raw }) => raw)])}`);
    this.#cursor.take(/[ \t]*;?/y);
    this.#cursor.skipLines();
    if (!isNamed || !this.#cursor.isAt("do")) throw new NotPlain("`for` is a keyword of the shell");
    this.#readParts("do", [{ variable: variable.raw, words }]);
  }

  /** Lists of commands between keywords. A loop that begins with `read` goes over what it is fed. */
  #readParts(keyword: string, loops: PlainCommand["loops"] = []): void {
    const [before, first, start] = [this.#loops, this.commands.length, this.shape.length];
    const isRepeated = this.#isRepeated || keyword !== "if";
    this.#cursor.at += keyword.length;
    this.shape.push(keyword);
    this.#loops = [...before, ...loops];
    this.#moves.enter("part");
    this.#inside(isRepeated, () => {
      for (let next = keyword; next !== "fi" && next !== "done"; ) {
        next = this.readList(AFTER.get(next) ?? []);
        const [read, ...more] = this.commands.slice(first);
        if (next === "do" && more.length === 0 && this.shape[start + 1]?.startsWith('[["read"'))
          this.#loops = [...before, ...fedLoops(read)];
        this.shape.push(next);
      }
    });
    this.#moves.leave();
    this.#loops = before;
    this.#readGroupRedirects(first);
  }

  #inside(isRepeated: boolean, read: () => void): void {
    if (this.#depth >= DEEPEST) throw new NotPlain("it is nested too deep");
    const before = this.#isRepeated;
    this.#isRepeated = isRepeated;
    this.#depth += 1;
    read();
    this.#depth -= 1;
    this.#isRepeated = before;
  }

  #readSimple(): void {
    const assignments: PlainWord[] = [];
    const words = this.#words((word) => {
      const isAssignment = ASSIGNMENT.test(word.text);
      if (isAssignment) assignments.push(word);
      return isAssignment;
    });
    if (words.length === 0) {
      const set = assignments.map(({ raw }) => raw);
      throw new NotPlain(set.length === 0 ? this.#nothingHere() : whySet(...set));
    }
    const reason = whyNotNamed(words);
    if (reason !== undefined) throw new NotPlain(reason);
    this.#addCommand(words, assignments, this.#readRedirects());
  }

  #nothingHere(): string {
    const operator = matchAt(OPERATOR, this.#cursor.line, this.#cursor.at);
    if (operator === "") return characterError(this.#cursor.line, this.#cursor.at);
    return `there is nothing before \`${operator}\``;
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
    const [name] = words;
    if (name?.raw === "cd" && this.#isRepeated)
      throw new NotPlain("`cd` in a loop leads somewhere else each time");
    const isAnywhere = name?.raw === "exit" && redirects.length === 0;
    const folder = this.#moves.folder ?? (isAnywhere ? "" : undefined);
    if (folder === undefined) throw new NotPlain("`cd` may not be where the commands after it run");
    const [isPiped, source] = [this.#isPiped, this.#source];
    this.#source = undefined;
    this.commands.push({ words, assignments, redirects, loops: this.#loops, folder, isPiped, source });
    this.#moves.command(words.map((word) => literalOf(word, this.#cursor.home, this.#loops)));
  }

  /** Args up to what is none. Of a command, those that `isTaken` takes come before the others. */
  #words(isTaken: "operands" | ((word: PlainWord) => boolean)): readonly PlainWord[] {
    const words: PlainWord[] = [];
    const isCommand = isTaken !== "operands";
    for (;;) {
      this.#cursor.skipBlanks();
      const next = this.#cursor.next;
      const isEnd = next === "" || /[\n;&|()<>]/.test(next) || this.#cursor.isComment;
      if (isEnd || startsRedirect(this.#cursor.line, this.#cursor.at)) return words;
      const word = this.#cursor.sign(words.length > 0) ?? this.#cursor.word(isCommand && words.length === 0);
      if (words.length > 0 || !isCommand || !isTaken(word)) words.push(word);
    }
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
