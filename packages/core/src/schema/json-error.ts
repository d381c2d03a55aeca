/** Where a text stops being JSON, and in what way. */
export interface JsonError {
  readonly position: number;
  readonly diagnostic: string;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![0-9])|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

type Expecting = "value" | "value or ]" | "name or }" | "name" | "colon" | "comma or end";

/** Finds the first error in a text that `JSON.parse` refused, without recursion, so that no depth can overflow it. */
export function findJsonError(text: string): JsonError {
  const open: ("}" | "]")[] = [];
  let expecting: Expecting = "value";
  let at = skip(SPACE, text, 0);
  for (;;) {
    if (at >= text.length) return { position: text.length, diagnostic: cutOff(open) };
    const char = text[at] as string;
    const next: { expecting: Expecting; at: number } | undefined = step(text, at, char, expecting, open);
    if (next === undefined) return { position: at, diagnostic: diagnosticAt(text, at, expecting) };
    expecting = next.expecting;
    at = skip(SPACE, text, next.at);
    if (expecting === "comma or end" && open.length === 0) {
      return {
        position: at,
        diagnostic: at < text.length ? "there is more after the end of the value" : "unreadable",
      };
    }
  }
}

function step(text: string, at: number, char: string, expecting: Expecting, open: ("}" | "]")[]) {
  if (expecting === "colon") return char === ":" ? { expecting: "value" as const, at: at + 1 } : undefined;
  if (expecting === "name" || expecting === "name or }") {
    if (char === "}" && expecting === "name or }") return close(open, at);
    return scalar(char === '"' ? stringEnd(text, at) : at, at, "colon");
  }
  if (expecting === "comma or end") {
    if (char === open.at(-1)) return close(open, at);
    if (char !== ",") return undefined;
    return { expecting: open.at(-1) === "}" ? ("name" as const) : ("value" as const), at: at + 1 };
  }
  if (char === "]" && expecting === "value or ]") return close(open, at);
  if (char === "{" || char === "[") {
    open.push(char === "{" ? "}" : "]");
    return { expecting: char === "{" ? ("name or }" as const) : ("value or ]" as const), at: at + 1 };
  }
  return scalar(char === '"' ? stringEnd(text, at) : skip(SCALAR, text, at), at, "comma or end");
}

function close(open: string[], at: number) {
  open.pop();
  return { expecting: "comma or end" as const, at: at + 1 };
}

function scalar<Next extends Expecting>(end: number, at: number, expecting: Next) {
  return end === at ? undefined : { expecting, at: end };
}

/** After the closing quote, or `at` itself when the string is broken. */
function stringEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 34) return index + 1;
    const next = code === 92 ? skip(ESCAPE, text, index) : code < 32 ? index : index + 1;
    if (next === index) return at;
    index = next;
  }
  return at;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function diagnosticAt(text: string, at: number, expecting: Expecting): string {
  if (text[at] === '"' && expecting !== "colon" && expecting !== "comma or end") {
    const isCut = !/["\p{Cc}]/u.test(text.slice(at + 1).replaceAll(/\\./g, ""));
    return isCut
      ? "the text ends inside a string"
      : "the string has a raw control character or an unknown escape";
  }
  const wanted = expecting === "comma or end" ? "a comma or the end of the list or object" : `a ${expecting}`;
  return `expected ${wanted}, found ${JSON.stringify(text.slice(at, at + 12))}`;
}

function cutOff(open: readonly string[]): string {
  return open.length === 0
    ? "the text is empty"
    : `the text ends before ${open.length === 1 ? "its bracket is" : `${open.length} brackets are`} closed`;
}
