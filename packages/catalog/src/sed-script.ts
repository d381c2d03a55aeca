/** Commands of one letter that print, delete or hold lines; a number may follow some of them. */
const SIMPLE = /^(?:[=dDgGhHnNpPxzF]|[lqQ]\s*\d*)/;
/** Where another command may follow. A `}` ends a group. */
const END = /^[ \t]*(?:[;\n]|(?=\})|$|(?=#))/;
const LABEL = /^(?:[btT][ \t]*[\w.-]*|:[ \t]*[\w.-]+)/;
const FLAGS = /^[gpiImM\d]*/;
const POSITION = /^(?:\d+(?:~\d+)?|\$)/;
const RANGE_END = /^[+~]\d+/;

/** Whether a script for sed only prints, deletes and replaces lines: it opens, writes and runs nothing. */
export function isHarmlessSed(script: string): boolean {
  let rest = script;
  let isEmpty = true;
  for (;;) {
    rest = rest.replace(/^(?:[\s;}]|#[^\n]*)+/, "");
    if (rest === "") return !isEmpty;
    const after = afterCommand(rest);
    if (after === undefined) return false;
    isEmpty = false;
    rest = after;
  }
}

/** What follows the first command; `undefined` if it is not known to be harmless. */
function afterCommand(text: string): string | undefined {
  const rest = afterAddresses(text)?.replace(/^[ \t]*(?:![ \t]*)*/, "");
  if (rest === undefined || rest === "") return undefined;
  if (rest.startsWith("{")) return rest.slice(1);
  if (/^[aic]/.test(rest)) return afterText(rest.slice(1));
  const end = /^[sy]/.test(rest) ? afterSubstitution(rest) : (after(SIMPLE, rest) ?? after(LABEL, rest));
  const found = end === undefined ? null : END.exec(end);
  return found === null ? undefined : end?.slice(found[0].length);
}

function after(pattern: RegExp, text: string): string | undefined {
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : text.slice(found.length);
}

function afterAddresses(text: string): string | undefined {
  const rest = afterAddress(text);
  if (rest === undefined) return undefined;
  const comma = /^[ \t]*,[ \t]*/.exec(rest)?.[0];
  if (comma === undefined || rest === text) return rest;
  const second = rest.slice(comma.length);
  const end = after(RANGE_END, second) ?? afterAddress(second);
  return end === second ? undefined : end;
}

/** The same text where there is no address; `undefined` where one does not end. */
function afterAddress(text: string): string | undefined {
  const position = after(POSITION, text);
  if (position !== undefined) return position;
  const start = text.startsWith("\\") ? 2 : text.startsWith("/") ? 1 : 0;
  if (start === 0) return text;
  const end = endOfExpression(text, start, text.charAt(start - 1));
  return end === undefined ? undefined : text.slice(end + 1).replace(/^[IM]+/, "");
}

/** `s/a/b/g` and `y/a/b/`. */
function afterSubstitution(text: string): string | undefined {
  const delimiter = text.charAt(1);
  if (!/[^\s\w\\;{}[\]]/.test(delimiter)) return undefined;
  const middle = endOfExpression(text, 2, delimiter);
  const end = middle === undefined ? undefined : endOfPart(text, middle + 1, delimiter, "none");
  if (end === undefined) return undefined;
  return text.startsWith("s") ? after(FLAGS, text.slice(end + 1)) : text.slice(end + 1);
}

/** Text that is added takes in the next line after a backslash. */
function afterText(text: string): string {
  return after(/^(?:[^\\\n]|\\[\s\S]|\\$)*(?:\n|$)/, text) ?? "";
}

/** Versions of sed differ in where a set in brackets ends, so all of them must find the same end. */
function endOfExpression(text: string, start: number, delimiter: string): number | undefined {
  const end = endOfPart(text, start, delimiter, "none");
  const isClear = end === endOfPart(text, start, delimiter, "sets");
  return isClear && end === endOfPart(text, start, delimiter, "escapes in sets") ? end : undefined;
}

function endOfPart(
  text: string,
  start: number,
  delimiter: string,
  knows: "none" | "sets" | "escapes in sets",
): number | undefined {
  let isSet = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "\n") return undefined;
    if (sign === "\\" && (!isSet || knows === "escapes in sets")) at += 1;
    else if (isSet) {
      const named = /^\[([:.=])[a-z]+\1\]/.exec(text.slice(at))?.[0];
      if (named !== undefined) at += named.length - 1;
      else isSet = sign !== "]";
    } else if (sign === delimiter) return at;
    else if (sign === "[" && knows !== "none") {
      isSet = true;
      at += /^\[\^?\]?/.exec(text.slice(at))?.[0].length ?? 1;
      at -= 1;
    }
  }
  return undefined;
}

/**
 * The files that the name of a file opens if sed takes it for the script, as it does in `sed -i script file` where `-i`
 * has a value of its own; `undefined` where that is not clear.
 */
export function openedAsSed(
  name: string,
): { reads: readonly string[]; writes: readonly string[] } | undefined {
  const command = name.replace(/^(?:\d+|\/[^/]*\/)/, "");
  if (/[;{}\s\\$!,]/.test(name) || /^s(.).*\1.*\1[^/]*w/s.test(command)) return undefined;
  const file = command.slice(1);
  return {
    reads: /^[rR]/.test(command) && file !== "" ? [file] : [],
    writes: /^[wW]/.test(command) && file !== "" ? [file] : [],
  };
}
