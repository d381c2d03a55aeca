import type { Action } from "@toolkeep/core";

/** What became of an entry's specifier. No pattern at all means everything. */
export type EntryPattern =
  | {
      readonly pattern?: string;
      /** Why it is not the same. */
      readonly note?: string;
      /** It covers more than was said, because that cannot be said here. */
      readonly isWidened?: true;
    }
  | { readonly dropped: string };

const OPERATOR = /&&|\|\||[;|&\n<>`]|\$\(/;

/** What a pattern of ours would read as more than the character itself. */
const SPECIAL = /[?{}\\$]/;

/**
 * `Bash(…)`: there `*` stands for any text, here for words. Where the two differ, an allow covers less
 * and an ask or a deny covers more.
 */
export function commandPattern(specifier: string, action: Action): EntryPattern {
  return linePattern(specifier.trim().replace(/:\*$/, " *"), action);
}

/** The same for a text in which a `:` before the last `*` is a letter like any other. */
export function linePattern(line: string, action: Action): EntryPattern {
  const text = line.trim();
  if (text === "" || text === "*") return {};
  if (OPERATOR.test(text)) return action === "allow" ? { dropped: SEVERAL } : widened(text, SEVERAL);
  const words = wordsOf(text);
  if (words === undefined) return action === "allow" ? { dropped: QUOTES } : widened(text, QUOTES);
  return action === "allow" ? allowed(words) : forbidden(words, text);
}

const SEVERAL = "every command in a line is judged by itself; write one entry for each";
const QUOTES = "its quotes do not close";
const OPTIONS = "the `*` covers options only where they are known to be harmless";

function allowed(words: readonly string[]): EntryPattern {
  const [program = "", ...rest] = words;
  if (words.some((word) => SPECIAL.test(word)))
    return { dropped: "it holds characters that mean more here than there" };
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
  return { pattern, note: isInner ? `a \`*\` within it stands for one word, and ${OPTIONS}` : OPTIONS };
}

function forbidden(words: readonly string[], text: string): EntryPattern {
  const [program = ""] = words;
  const last = words.at(-1) ?? "";
  const isInner = words.slice(0, -1).some((word) => word.includes("*")) || /\*./.test(last);
  if (isInner) return widened(text, "a `*` within a command cannot be said here");
  if (program.includes("=")) return widened(text, "it begins with a variable");
  const safe = words.map((word) => word.replaceAll(/[{}\\$]/g, "?"));
  const isOpen = last.endsWith("*") && last !== "*";
  return { pattern: join(isOpen ? [...safe, "*"] : safe) };
}

/** Whatever begins like it, up to what cannot be said. */
function widened(text: string, why: string): EntryPattern {
  const start = text.split(/[*?{}\\$"'&|;<>`\n(]/, 1)[0] as string;
  const words = start.split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word));
  // The last word may have been cut in two.
  const whole = /\s$/.test(start) ? words : words.slice(0, -1);
  if (whole.length === 0) return { note: `${why}, so it covers every command`, isWidened: true };
  const pattern = join([...whole, "*"]);
  return { pattern, note: `${why}, so it covers ${JSON.stringify(pattern)}`, isWidened: true };
}

/** The words of a command as a shell would see them, or nothing when its quotes do not close. */
function wordsOf(text: string): readonly string[] | undefined {
  if (/["']/.test(text.replaceAll(/"[^"]*"|'[^']*'/g, ""))) return undefined;
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one?: string, other?: string) => one ?? other ?? ""),
  );
}

const PLAIN_WORD = /^[\w@%+=:,./*?-]+$/;

/** As commands are written in effects, except that wildcards stay what they are. */
function join(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
