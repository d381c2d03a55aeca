import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const MOST_REMEMBERED = 1_000;

interface Pattern {
  test(text: string): boolean;
}

const patterns = new Map<string, Pattern | string>();

/** A pattern of RE2, whose time is linear in the text; a text is why it is none. The engine is loaded with the first. */
export function compilePattern(pattern: string): Pattern | string {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (patterns.size >= MOST_REMEMBERED) patterns.clear();
  const compiled = compile(pattern);
  patterns.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): Pattern | string {
  const { RE2JS } = load("re2js") as typeof import("re2js");
  try {
    return RE2JS.compile(pattern);
  } catch {
    return `The pattern ${JSON.stringify(pattern)} is not one of RE2, which has no look-around and no back-references.`;
  }
}

/** Below this the library of the engine is faster, whatever the texts are. */
const FEW = 100_000;

/** Whether a text contains another one, in time linear in both: engines go back where a text repeats itself. */
export function containsText(text: string, wanted: string): boolean {
  if (text.length * wanted.length <= FEW) return text.includes(wanted);
  const back = new Int32Array(wanted.length);
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = back[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length += 1;
    back[at] = length;
  }
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (length > 0 && text[at] !== wanted[length]) length = back[length - 1] ?? 0;
    if (text[at] === wanted[length]) length += 1;
    if (length === wanted.length) return true;
  }
  return false;
}
