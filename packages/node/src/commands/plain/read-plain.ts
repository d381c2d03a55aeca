import { type PlainRedirect, readRedirect, startsRedirect } from "./plain-redirect.ts";
import { characterError, matchAt, type PlainWord, readWord } from "./plain-word.ts";
import { shapeText } from "./shape.ts";

/** One command of a plain line, or what is redirected of a group. */
export interface PlainCommand {
  readonly words: readonly PlainWord[];
  readonly assignments: readonly PlainWord[];
  readonly redirects: readonly PlainRedirect[];
  /** The loops around it, from the outermost. */
  readonly loops: readonly PlainLoop[];
  /** It is in a group, a condition or a loop. */
  readonly isInner: boolean;
  /** A pipe leads into it. */
  readonly isPiped: boolean;
}

export interface PlainLoop {
  readonly variable: string;
  readonly words: readonly PlainWord[];
}

/** The commands of a line that needs no shell to be understood. */
export interface PlainLine {
  readonly commands: readonly PlainCommand[];
  /** What separates commands, and everything else that gives a line its shape, in order; ends of lines left out. */
  readonly shape: readonly string[];
}

/** The commands, or why the line is not plain. */
export type PlainReading = PlainLine | { readonly commands?: undefined; readonly reason: string };

const DEEPEST = 4;

/**
 * Reads plain command lines: args, quoted or not, redirects to files that are named, the operators between commands,
 * groups, conditions and loops over what is written out. It supports nothing else on purpose. Where this reading and
 * the parsers' agree, there is nothing that all of them could have misunderstood in the same way.
 */
export function readPlain(line: string, home: string): PlainReading {
  const reader = new PlainReader(line, home);
  try {
    reader.readList([]);
    return { commands: reader.commands, shape: reader.shape };
  } catch (error) {
    if (error instanceof NotPlain) return { reason: error.message };
    throw error;
  }
}

/** Thrown with the reason. */
class NotPlain extends Error {}

const BLANK = /[ \t](?:[ \t]|\\\n)*/y;
/** A `|&` is none. */
const OPERATOR = /&&|\|\||;(?!;)|\|(?!&)|&(?![&>])|\n/y;
/** Even without its `#` it would be no more than words. */
const COMMENT = /#[^'"`$\\;&|<>(){}\p{Cc}]*(?=\n|$)/uy;
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
  readonly #line: string;
  readonly #home: string;
  #at = 0;
  #loops: readonly PlainLoop[] = [];
  #depth = 0;
  #isPiped = false;
  /** Where the here-document ends whose lines are still to come. */
  #documentEnd: number | undefined;

  constructor(line: string, home: string) {
    this.#line = line;
    this.#home = home;
  }

  /** Commands up to one of these keywords, which is taken, or to the end. */
  readList(closing: readonly string[]): string {
    const first = this.shape.length;
    let needed: string | undefined;
    for (;;) {
      this.#skipLines();
      const close = closing.find((keyword) => this.#isAt(keyword));
      if (close !== undefined && needed === undefined) {
        if (this.shape.length === first) throw new NotPlain("there is no command in a part of it");
        this.#at += close.length;
        return close;
      }
      if (this.#at >= this.#line.length) {
        if (closing.length > 0 || needed !== undefined) throw new NotPlain("something in it does not end");
        return "";
      }
      this.#readPipeline();
      needed = this.#readSeparator(closing);
    }
  }

  /** The operator after a pipeline, if a command must follow it. */
  #readSeparator(closing: readonly string[]): string | undefined {
    this.#skipBlanks();
    this.#take(COMMENT);
    const operator = this.#take(OPERATOR);
    if (operator === "") {
      const isEnd = this.#at >= this.#line.length || (closing.includes(")") && this.#line[this.#at] === ")");
      if (!isEnd) throw new NotPlain(characterError(this.#line, this.#at));
      return undefined;
    }
    if (operator === "\n") {
      this.#at -= 1;
      return undefined;
    }
    this.shape.push(operator);
    return operator === "&&" || operator === "||" ? operator : undefined;
  }

  #readPipeline(): void {
    if (this.#isAt("!")) {
      this.#at += 1;
      this.shape.push("!");
      this.#skipBlanks();
    }
    if (this.#isAt("time")) {
      this.#at += "time".length;
      this.shape.push("time");
      this.#skipBlanks();
      if (/[-!({\n]/.test(this.#line.charAt(this.#at)))
        throw new NotPlain("`time` is a keyword of the shell");
    }
    const wasPiped = this.#isPiped;
    for (;;) {
      this.#readCommand();
      this.#skipBlanks();
      if (matchAt(OPERATOR, this.#line, this.#at) !== "|") break;
      this.#at += 1;
      this.shape.push("|");
      this.#skipLines();
      this.#isPiped = true;
    }
    this.#isPiped = wasPiped;
  }

  #readCommand(): void {
    if (this.#isAt("{")) this.#readGroup("{", "}");
    else if (this.#line[this.#at] === "(" && this.#line[this.#at + 1] !== "(") this.#readGroup("(", ")");
    else if (this.#isAt("for")) this.#readLoop();
    else if (this.#isAt("if")) this.#readCondition();
    else this.#readSimple();
  }

  #readGroup(open: string, close: string): void {
    const first = this.commands.length;
    this.#at += 1;
    this.shape.push(open);
    this.#inside(() => this.readList([close]));
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
    this.#at += "for".length;
    this.#skipBlanks();
    const variable = this.#word();
    this.#skipBlanks();
    const isNamed = LOOP_VARIABLE.test(variable.text) && this.#isAt("in");
    if (!isNamed) throw new NotPlain("`for` is a keyword of the shell");
    this.#at += "in".length;
    const words = this.#words();
    if (words.length === 0 || words.some(({ parts }) => !parts.every((part) => typeof part === "string")))
      throw new NotPlain("a loop in it goes over what is not written out");
    this.shape.push(`for ${JSON.stringify([variable.raw, ...words.map(({ raw }) => raw)])}`);
    this.#skipBlanks();
    if (!/[;\n]/.test(this.#line.charAt(this.#at))) throw new NotPlain("`for` is a keyword of the shell");
    if (this.#line[this.#at] === ";") this.#at += 1;
    this.#skipLines();
    if (!this.#isAt("do")) throw new NotPlain("`for` is a keyword of the shell");
    this.#at += "do".length;
    const before = this.#loops;
    const first = this.commands.length;
    this.#loops = [...before, { variable: variable.raw, words }];
    this.shape.push("do");
    this.#inside(() => this.readList(["done"]));
    this.shape.push("done");
    this.#loops = before;
    this.#readGroupRedirects(first);
  }

  #readCondition(): void {
    const first = this.commands.length;
    this.#at += "if".length;
    this.shape.push("if");
    this.#inside(() => {
      for (let keyword = ""; keyword !== "fi"; ) {
        const allowed = keyword === "else" ? ["fi"] : keyword === "then" ? ["elif", "else", "fi"] : ["then"];
        keyword = this.readList(allowed);
        this.shape.push(keyword);
      }
    });
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
      if (assignments.length > 0) throw new NotPlain("it sets variables");
      throw new NotPlain(this.#nothingHere());
    }
    if (name.parts.some((part) => typeof part !== "string") || !PLAIN_NAME.test(name.raw))
      throw new NotPlain(nameError(name.raw));
    if (KEYWORDS.has(name.raw)) throw new NotPlain(`\`${name.raw}\` is a keyword of the shell`);
    this.#addCommand(words, assignments, this.#readRedirects());
  }

  #nothingHere(): string {
    const operator = matchAt(OPERATOR, this.#line, this.#at);
    if (operator !== "") return `there is nothing before \`${operator}\``;
    return characterError(this.#line, this.#at);
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
    this.commands.push({
      words,
      assignments,
      redirects,
      loops: this.#loops,
      isInner: this.#depth > 0,
      isPiped: this.#isPiped,
    });
  }

  /** Args up to what is none. Those that `isTaken` takes come before the others. */
  #words(isTaken: (word: PlainWord) => boolean = () => false): readonly PlainWord[] {
    const words: PlainWord[] = [];
    for (;;) {
      this.#skipBlanks();
      const next = this.#line.charAt(this.#at);
      const isEnd = next === "" || /[\n;&|()<>]/.test(next) || this.#isRedirect();
      if (isEnd || matchAt(COMMENT, this.#line, this.#at) !== "") return words;
      const word = this.#sign(words.length > 0) ?? this.#word(words.length === 0);
      if (words.length > 0 || !isTaken(word)) words.push(word);
    }
  }

  #isRedirect(): boolean {
    return startsRedirect(this.#line, this.#at);
  }

  /** Only at the end of a command, where every shell and parser sees the same. */
  #readRedirects(): readonly PlainRedirect[] {
    const redirects: PlainRedirect[] = [];
    for (;;) {
      this.#skipBlanks();
      const found = readRedirect(this.#line, this.#at, this.#home);
      if (found === undefined) break;
      if ("reason" in found) throw new NotPlain(found.reason);
      redirects.push(found.redirect);
      this.#at = found.end;
      if (found.documentEnd !== undefined) this.#waitFor(found.documentEnd);
    }
    this.#skipBlanks();
    const next = this.#line.charAt(this.#at);
    const isEnd = next === "" || /[\n;&|)]/.test(next) || matchAt(COMMENT, this.#line, this.#at) !== "";
    if (!isEnd || matchAt(/&>/y, this.#line, this.#at) !== "")
      throw new NotPlain(
        redirects.length === 0 || /[<>]/.test(next)
          ? characterError(this.#line, this.#at)
          : "it has words after a redirect",
      );
    return redirects;
  }

  /** Its lines come after the line it is in. */
  #waitFor(documentEnd: number): void {
    if (this.#documentEnd !== undefined) throw new NotPlain("it has more than one here-document in a line");
    this.#documentEnd = documentEnd;
  }

  /** A `!` among args, as `find` and `test` have it. */
  #sign(isArg: boolean): PlainWord | undefined {
    if (!isArg || !this.#isAt("!")) return undefined;
    this.#at += 1;
    return { raw: "!", parts: ["!"], isWild: false, text: "!", end: this.#at };
  }

  #word(isName = false): PlainWord {
    const word = readWord(this.#line, this.#at, { home: this.#home, isName });
    if (typeof word === "string") throw new NotPlain(word);
    this.#at = word.end;
    return word;
  }

  /** A keyword, or a sign that is treated as one: it is a word of its own. */
  #isAt(keyword: string): boolean {
    if (!this.#line.startsWith(keyword, this.#at)) return false;
    const next = this.#line.charAt(this.#at + keyword.length);
    return keyword === ")" || next === "" || /[ \t\n;&|)]/.test(next);
  }

  #take(pattern: RegExp): string {
    const found = matchAt(pattern, this.#line, this.#at);
    this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    this.#take(BLANK);
  }

  /** Blanks, comments, ends of lines, and the here-documents after these. */
  #skipLines(): void {
    for (;;) {
      this.#skipBlanks();
      this.#take(COMMENT);
      if (this.#line[this.#at] !== "\n") return;
      this.#at = this.#documentEnd ?? this.#at + 1;
      this.#documentEnd = undefined;
    }
  }
}

function nameError(name: string): string {
  if (name.includes("=")) return "it sets variables";
  return "the name of a command is a pattern or not plain";
}

/** The here-documents that `cat` prints into an arg. */
export function printedIn({ parts }: PlainWord): readonly string[] {
  return parts.flatMap((part) => (typeof part === "object" && "printed" in part ? [part.printed] : []));
}
