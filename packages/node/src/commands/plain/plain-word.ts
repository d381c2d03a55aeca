/** A part of an argument that is not plain text. */
type Inserted =
  /** The value of a variable. */
  | { readonly variable: string; readonly isQuoted: boolean }
  /** The text of a here-document that `cat` prints, and the substitution as it is written. */
  | { readonly printed: string; readonly text: string };

/** One argument as our own reader sees it. */
export interface PlainWord {
  /** Without its quotes; what a shell puts in later is as it is written. All readings must agree on it. */
  readonly raw: string;
  readonly parts: readonly (string | Inserted)[];
  /** A shell makes a list of files of it. */
  readonly isWild: boolean;
  /** As it is written, with quotes. */
  readonly text: string;
  readonly end: number;
}

interface WordOptions {
  readonly home: string;
  /** Its first word names the command. */
  readonly isName: boolean;
}

/** `{}` alone, as `find` and `xargs` take it, is no group and no list in any shell. */
const UNQUOTED = /(?:@\{\d+\}|(?<=[ \t])\{\}(?![^ \t\n;&|)])|[\w@%+=:,./^~*?[\]#-])+/y;
/** Signs, and the letters that fish too takes for themselves: of the others it makes control characters. */
const ESCAPED = /\\[!-/:-@[-`{-~ dg-mo-qswyzA-TVWYZ]/y;
const SINGLE_QUOTED = /'[^']*'/y;
/** Within quotes bash looks for the end of a `$(` that begins with the second `$` of `$$(`. */
const VARIABLE = /\$(?:([A-Za-z_]\w*|[?!#]|\$(?![$({['`]))|\{([A-Za-z_]\w*)\}|\(nproc\))/y;
/** Stands for the number of processors, and no other substitution does: what others print is not known. */
export const PROCESSORS = "(nproc)";
/** What is between quotes and means itself. A multi-byte character before a backslash is not: some encodings join them. */
const BETWEEN_QUOTES = /(?:(?:[^"$`\\\p{Cc}]|[\n\t])(?<!\P{ASCII}(?=\\)))+/uy;
const QUOTED_ESCAPE = /\\[$`"\\]/y;
/** Before any other character a backslash means itself. */
const QUOTED_BACKSLASH = /\\(?=[ -!#%-[\]-_a-~])/y;
/** `$` at the end of what is quoted, or before what begins no name. To ksh some characters that are not ASCII do. */
const QUOTED_DOLLAR = /\$(?=["\t\n .,;:/%)\]])/y;
const ENDS = /[ \t\n;&|)]/;

export function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
}

/** The argument at this position, or why it is not plain. */
export function readWord(line: string, start: number, { home, isName }: WordOptions): PlainWord | string {
  const word = new WordBuilder();
  let end = start;
  for (;;) {
    const bare = matchAt(UNQUOTED, line, end);
    const taken = bare === "" ? takeQuoted(line, end, word) : bare;
    if (typeof taken !== "string") return taken.reason;
    if (taken === "") break;
    if (bare !== "") {
      const next = line.charAt(end + bare.length);
      const error = bareError(bare, { isName: isName && word.isEmpty, isAtStart: end === start, next });
      if (error !== undefined && !(isName && /^\[\[?$/.test(bare))) return error;
      word.add(end === start && bare.startsWith("~") ? home + bare.slice(1) : bare);
      word.isWild ||= /[*?[]/.test(bare);
    }
    end += taken.length;
  }
  if (end < line.length && !ENDS.test(line.charAt(end))) return characterError(line, end);
  if (end === start) return characterError(line, end);
  const { raw, parts, isWild } = word;
  if (isWild && /(?:^|\/)\.[^/]*[*?[]/.test(raw)) return "a pattern in it may step out of the folder";
  return { raw, parts, isWild, text: line.slice(start, end), end };
}

class WordBuilder {
  raw = "";
  isWild = false;
  readonly parts: (string | Inserted)[] = [];
  #hasParts = false;

  get isEmpty(): boolean {
    return !this.#hasParts;
  }

  add(text: string): void {
    this.raw += text;
    this.#hasParts ||= text !== "";
    const last = this.parts.at(-1);
    if (typeof last === "string") this.parts[this.parts.length - 1] = last + text;
    else this.parts.push(text);
  }

  insert(text: string, inserted: Inserted): void {
    this.raw += text;
    this.#hasParts = true;
    this.parts.push(inserted);
  }
}

interface NotPlain {
  readonly reason: string;
}

/** What is quoted, escaped or a variable at this position, as it is written; empty where there is none. */
function takeQuoted(line: string, at: number, word: WordBuilder): string | NotPlain {
  const single = matchAt(SINGLE_QUOTED, line, at);
  if (single !== "") {
    word.add(single.slice(1, -1));
    return single;
  }
  const escaped = matchAt(ESCAPED, line, at);
  if (escaped !== "") {
    word.add(escaped.slice(1));
    return escaped;
  }
  if (line[at] === '"') return takeDoubleQuoted(line, at, word);
  return takeVariable(line, at, word, false);
}

function takeVariable(line: string, at: number, word: WordBuilder, isQuoted: boolean): string {
  const variable = matchAt(VARIABLE, line, at);
  if (variable !== "")
    word.insert(variable, { variable: variable.replaceAll(/[${}]/g, "") || "$", isQuoted });
  return variable;
}

/** What is between double quotes: text, escapes, variables, and a here-document printed by `cat`. */
function takeDoubleQuoted(line: string, start: number, word: WordBuilder): string | NotPlain {
  word.add("");
  let at = start + 1;
  while (at < line.length && line[at] !== '"') {
    const literal =
      matchAt(BETWEEN_QUOTES, line, at) ||
      matchAt(QUOTED_BACKSLASH, line, at) ||
      matchAt(QUOTED_DOLLAR, line, at);
    const escaped = literal === "" ? matchAt(QUOTED_ESCAPE, line, at) : "";
    const printed = literal === "" && escaped === "" ? printedAt(line, at) : undefined;
    if (literal !== "") word.add(literal);
    else if (escaped !== "") word.add(escaped.slice(1));
    else if (printed !== undefined) word.insert(printed.text, { printed: printed.body, text: printed.text });
    const inserted =
      printed?.text ?? (literal === "" && escaped === "" ? takeVariable(line, at, word, true) : "");
    const length = (literal || escaped || inserted).length;
    if (length === 0) return { reason: quotedError(line, at) };
    at += length;
  }
  return at < line.length ? line.slice(start, at + 1) : { reason: "its quotes do not close" };
}

const PRINTING = /\$\(cat <<(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))[ \t]*\n/y;

interface Printed {
  readonly text: string;
  /** Without the ends of lines at its end, as a shell takes it. */
  readonly body: string;
}

/** `$(cat <<'EOF' …)`: a text, and nothing that a shell would look at. */
function printedAt(line: string, at: number): Printed | undefined {
  PRINTING.lastIndex = at;
  const found = PRINTING.exec(line);
  if (found === null) return undefined;
  const [start, single, double, bare] = found;
  const document = hereDocumentAt(
    line,
    at + start.length,
    single ?? double ?? bare ?? "",
    bare === undefined,
  );
  if (document === undefined) return undefined;
  const close = matchAt(/\n[ \t\n]*\)/y, line, document.end);
  if (close === "") return undefined;
  return { text: line.slice(at, document.end + close.length), body: document.body.replace(/\n+$/, "") };
}

interface HereDocument {
  readonly body: string;
  /** After the delimiter, before the end of its line. */
  readonly end: number;
}

const EXPANDED_IN_DOCUMENT = /[$`\\]/;

/** The lines up to the one that is the delimiter; `undefined` where there is none, or a shell would expand them. */
export function hereDocumentAt(
  line: string,
  start: number,
  delimiter: string,
  isQuoted: boolean,
): HereDocument | undefined {
  let at = start;
  while (at <= line.length) {
    const newline = line.indexOf("\n", at);
    const end = newline === -1 ? line.length : newline;
    if (line.slice(at, end) === delimiter) {
      const body = line.slice(start, at);
      const isText = (isQuoted || !EXPANDED_IN_DOCUMENT.test(body)) && !/[^\P{Cc}\n\t]/u.test(body);
      return isText ? { body, end } : undefined;
    }
    if (newline === -1) return undefined;
    at = newline + 1;
  }
  return undefined;
}

/** What a shell would make something else of. */
function bareError(
  bare: string,
  { isName, isAtStart, next }: { isName: boolean; isAtStart: boolean; next: string },
): string | undefined {
  if (isAtStart && bare.startsWith("#")) return "it has a comment";
  // Next to a quote a `~` is a letter like any other.
  const isUnclear = bare === "~" ? /["'\\$]/.test(next) : /^~(?!\/)/.test(bare);
  if (isAtStart && isUnclear) return "it names a home folder that is unknown here";
  // In an argument that looks like an assignment, at any position.
  if (/[=:]~/.test(bare)) return "a `~` in it may become the home folder";
  if (isName && /^[*?[]/.test(bare)) return "the files there are say which program it runs";
  return undefined;
}

/** For a text that begins with what the shell puts something in place of. */
export function whyFilledIn(text: string): string {
  const [shown = "$"] = /^\$(?:\([^()`]{1,60}\)|\{?\w{1,60}\}?)/.exec(text) ?? [];
  return `the shell fills in \`${shown}\` only when the line runs`;
}

function quotedError(line: string, at: number): string {
  const character = line.charAt(at);
  if (character === "`") return "the shell runs what is between backticks first";
  return character === "$" ? whyFilledIn(line.slice(at)) : "what is in its double quotes is not plain text";
}

export function characterError(line: string, at: number): string {
  const character = line.charAt(at);
  if (character === '"' || character === "'") return "its quotes do not close";
  if (/[\p{Cc}\P{ASCII}]/u.test(character)) return "it has characters outside of quotes that are hard to see";
  if (character === "`") return "the shell runs what is between backticks first";
  return character === "$"
    ? whyFilledIn(line.slice(at))
    : `the shell may make other words or commands of \`${character}\``;
}
