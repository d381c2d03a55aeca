import type { Action } from "../../contract/policy/rule.ts";

/** The pattern for what stands in the brackets of an entry such as `Bash(git status)`. No pattern: everything. */
export type EntryPattern =
  | {
      readonly pattern?: string;
      /** How the pattern differs from the entry. */
      readonly note?: string;
      /** It covers more than the entry, which has no exact equivalent here. */
      readonly isWidened?: true;
    }
  | { readonly dropped: string };

const OPERATOR = /&&|\|\||[;|&\n<>`]|\$\(/;

/** Characters with a meaning in a command pattern here, and without one in an entry. */
const SPECIAL_IN_COMMAND = /[?{}\\$]/;

/**
 * `Bash(…)`: in an entry `*` stands for any text, here for whole words. Where the two differ, an allow covers less
 * and an ask or a deny covers more.
 */
export function commandPattern(specifier: string, action: Action): EntryPattern {
  return linePattern(specifier.trim().replace(/:\*$/, " *"), action);
}

/** The same for a command line without the `:*` notation. */
export function linePattern(line: string, action: Action): EntryPattern {
  const text = line.trim();
  if (text === "" || text === "*") return {};
  if (OPERATOR.test(text)) return action === "allow" ? { dropped: SEVERAL } : widened(text, SEVERAL);
  const words = wordsOf(text);
  if (words === undefined) return action === "allow" ? { dropped: QUOTES } : widened(text, QUOTES);
  return action === "allow" ? allowedCommand(words) : forbiddenCommand(words, text);
}

const SEVERAL = "each command of a line is evaluated separately; write one entry for each";
const QUOTES = "its quotes do not close";
const OPTIONS = "the `*` covers an option only if it is known to be harmless";

function allowedCommand(words: readonly string[]): EntryPattern {
  const [program = "", ...rest] = words;
  if (words.some((word) => SPECIAL_IN_COMMAND.test(word)))
    return { dropped: "it contains characters that have another meaning here" };
  if (program.includes("=")) return { dropped: "it begins with a variable, not with a program" };
  if (program.includes("*") && !/^[^*]+\*$/.test(program)) return { dropped: "it would allow any program" };
  if (program.endsWith("*")) {
    const pattern = join([program.slice(0, -1), ...rest, "*"]);
    return { pattern, note: `the program is ${program.slice(0, -1)} alone, and ${OPTIONS}` };
  }
  const last = rest.at(-1);
  if (!rest.some((word) => word.includes("*"))) return { pattern: join(words) };
  const isInner = rest.slice(0, -1).some((word) => word.includes("*")) || !last?.endsWith("*");
  const pattern = join(last?.endsWith("*") && last !== "*" ? [...words, "*"] : words);
  return { pattern, note: isInner ? `a \`*\` inside it stands for one word, and ${OPTIONS}` : OPTIONS };
}

function forbiddenCommand(words: readonly string[], text: string): EntryPattern {
  const [program = ""] = words;
  const last = words.at(-1) ?? "";
  const isInner = words.slice(0, -1).some((word) => word.includes("*")) || /\*./.test(last);
  if (isInner) return widened(text, "a `*` inside a command has no equivalent here");
  if (program.includes("=")) return widened(text, "it begins with a variable");
  const safe = words.map((word) => word.replaceAll(/[{}\\$]/g, "?"));
  const isOpen = last.endsWith("*") && last !== "*";
  return { pattern: join(isOpen ? [...safe, "*"] : safe) };
}

/** Every command with the same beginning, up to what has no equivalent. */
function widened(text: string, why: string): EntryPattern {
  const start = text.split(/[*?{}\\$"'&|;<>`\n(]/, 1)[0] as string;
  const words = start.split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word));
  // The last word may have been cut in two.
  const whole = /\s$/.test(start) ? words : words.slice(0, -1);
  if (whole.length === 0) return { note: `${why}, so it covers every command`, isWidened: true };
  const pattern = join([...whole, "*"]);
  return { pattern, note: `${why}, so it covers ${JSON.stringify(pattern)}`, isWidened: true };
}

/** The arguments of a command line as a shell splits it, or `undefined` if its quotes do not close. */
function wordsOf(text: string): readonly string[] | undefined {
  if (/["']/.test(text.replaceAll(/"[^"]*"|'[^']*'/g, ""))) return undefined;
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one?: string, other?: string) => one ?? other ?? ""),
  );
}

const PLAIN_WORD = /^[\w@%+=:,./*?-]+$/;

/** As commands are written in effects, except that wildcards are not quoted. */
function join(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Characters that a path pattern here reads differently than a `.gitignore` does. */
const SPECIAL_IN_PATH = /[[\]{}\\!]/;

/**
 * `Read(…)` and `Edit(…)`: patterns as in a `.gitignore`; `//` is the root, `/` the project. Where a
 * pattern is ambiguous, an allow takes the narrow meaning, an ask or a deny the wide one.
 */
export function pathPattern(specifier: string, action: Action, home: string | undefined): EntryPattern {
  const text = specifier.trim();
  if (text !== "" && !text.startsWith("!")) {
    return action === "allow" ? allowedPath(text, home) : forbiddenPath(text, home);
  }
  const why = "it does not say which paths are meant";
  return action === "allow" ? { dropped: why } : { note: `${why}, so it covers them all`, isWidened: true };
}

function allowedPath(text: string, home: string | undefined): EntryPattern {
  if (SPECIAL_IN_PATH.test(text)) return { dropped: "it contains characters that have another meaning here" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(text)) return { dropped: "it contains `..`" };
  const base = baseOf(text, home);
  if (base === undefined) return { dropped: "`~` has no value here" };
  const pattern = base.at + base.rest.replace(/\/$/, "/**");
  if (!base.isAnyDepth) return { pattern };
  return { pattern, note: "it means the top of the workspace only, not every folder below" };
}

function forbiddenPath(text: string, home: string | undefined): EntryPattern {
  const readable = text.replaceAll(/\[[^\]]*\]/g, "?").replaceAll(/[[\]{}\\]/g, "?");
  const climbing = /^(?:.*\/)?\.\.\//.exec(readable);
  if (climbing !== null) {
    return {
      pattern: withBeneath(`**/${readable.slice(climbing[0].length)}`),
      note: "it contains `..`, so it covers such a path anywhere",
      isWidened: true,
    };
  }
  const base = baseOf(readable, home);
  if (base === undefined) {
    return {
      pattern: withBeneath(`**/${readable.replace(/^~[^/]*\/?/, "")}`),
      note: "`~` has no value here, so it covers such a path anywhere",
      isWidened: true,
    };
  }
  const isAnywhere = base.isAnyDepth || (base.at === "{workspace}/" && base.rest.startsWith("**/"));
  const rest = base.rest.replace(/^(?:\*\*\/)+/, "");
  if (isAnywhere)
    return { pattern: withBeneath(rest === "*" || rest === "**" ? "**" : `**/${rest}`), note: ANYWHERE };
  return {
    pattern: withBeneath(base.at + base.rest),
    ...(SPECIAL_IN_PATH.test(text) ? { note: "its brackets match any character" } : {}),
  };
}

const ANYWHERE = "it covers such a path anywhere, in the workspace or not";

interface Base {
  readonly at: string;
  readonly rest: string;
  /** A name without a slash matches at any depth. */
  readonly isAnyDepth: boolean;
}

function baseOf(text: string, home: string | undefined): Base | undefined {
  if (text.startsWith("//")) return { at: "/", rest: text.replace(/^\/+/, ""), isAnyDepth: false };
  if (text.startsWith("~")) {
    const isHome = text === "~" || text.startsWith("~/");
    if (!isHome || home === undefined || !/^\/[^*?{}]*$/.test(home)) return undefined;
    return { at: home.replace(/(?<!\/)\/+$/, ""), rest: text.slice(1), isAnyDepth: false };
  }
  if (text.startsWith("/")) return { at: "{workspace}", rest: text, isAnyDepth: false };
  if (text.startsWith("./"))
    return { at: "{workspace}/", rest: text.replace(/^(?:\.\/)+/, ""), isAnyDepth: false };
  return { at: "{workspace}/", rest: text, isAnyDepth: !text.replace(/\/$/, "").includes("/") };
}

/** The path itself, and everything below it if it is a folder. */
function withBeneath(pattern: string): string {
  const plain = pattern.replace(/(?<!\/)\/+$/, "");
  return plain.endsWith("**") ? plain : `${plain}{,/**}`;
}
