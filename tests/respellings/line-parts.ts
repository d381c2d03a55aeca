/** A word of a line. */
export interface LineWord {
  /** With its quotes. */
  readonly written: string;
  /** Without its quotes. */
  readonly value: string;
  /** A shell makes nothing else of it, so that other quotes change nothing. */
  readonly isText: boolean;
}

/** One command of a line. */
export interface LineCommand {
  /** `NAME=value` before the name of its program. */
  readonly assignments: readonly LineWord[];
  readonly words: readonly LineWord[];
  /** Its redirects, as they are written. */
  readonly redirects: string;
}

/** The commands of a line, and what stands between them. */
export interface LineParts {
  readonly commands: readonly LineCommand[];
  readonly operators: readonly string[];
}

const BLANK = /[ \t]+/y;
const REDIRECT = /(?:\d?>&\d|&>>?|\d?>[>|]?|\d?<>?(?!<))[ \t]*/y;
const OPERATOR = /[ \t]*(?:&&|\|\||[;|]|&(?![>&])|\n)[ \t\n]*/y;
const WORD =
  /(?:'[^']*'|"(?:[^"\\$`]|\\.|\$(?![({]))*"|\\[^\n\w]|\$\w+|(?:\{\}|[^\s'"\\;&|<>()$`#{}])(?:#(?=\S))*)+/y;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const KEYWORD = /^(?:for|if|while|until|case|select|function|time|then|do|done|fi|else|in|!|\[\[?)$/;

/** Takes a line apart, if it is only commands with words; `undefined` where a shell has more to understand. */
export function partsOf(line: string): LineParts | undefined {
  const commands: LineCommand[] = [];
  const operators: string[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(line)?.[0] ?? "";
    at += found.length;
    return found;
  };
  while (at < line.length) {
    const words: LineWord[] = [];
    let redirects = "";
    for (;;) {
      take(BLANK);
      const operator = take(REDIRECT);
      const file = operator === "" || /&\d/.test(operator) ? "" : take(WORD);
      if (operator !== "") redirects += ` ${operator}${file}`;
      else if (redirects !== "") break;
      else {
        const word = take(WORD);
        if (word === "") break;
        words.push(wordOf(word));
      }
    }
    const first = words.findIndex(({ written }) => !ASSIGNMENT.test(written));
    if (first === -1 || KEYWORD.test(words[first]?.value ?? "")) return undefined;
    commands.push({ assignments: words.slice(0, first), words: words.slice(first), redirects });
    const operator = take(OPERATOR);
    if (operator === "" && at < line.length) return undefined;
    if (operator !== "") operators.push(operator);
  }
  return commands.length === 0 ? undefined : { commands, operators };
}

const QUOTED = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs;

function wordOf(written: string): LineWord {
  const bare = written.replaceAll(QUOTED, "");
  const value = written.replaceAll(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? "",
  );
  return { written, value, isText: !written.includes("$") && /^[\w@%+=:,./^#-]*$/.test(bare) };
}

/** The line that the parts are of. */
export function lineOf({ commands, operators }: LineParts, blank: () => string): string {
  return commands
    .map(({ assignments, words, redirects }, index) => {
      const written = [...assignments, ...words].map((word) => word.written);
      const text = written.reduce((before, word) => `${before}${blank()}${word}`);
      const operator = operators[index] ?? "";
      return `${text}${redirects}${operator === "" ? "" : ` ${operator.trim() || "\n"} `}`;
    })
    .join("")
    .trimEnd();
}
