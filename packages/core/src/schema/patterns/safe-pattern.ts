/** A pattern that can be matched in time linear in the text, in parts that RE2 understands. */
export interface SafePattern {
  readonly main: string;
  /** Each is matched where the main pattern begins. */
  readonly lookaheads: readonly { readonly pattern: string; readonly wanted: boolean }[];
}

/**
 * Splits look-aheads off the front of an anchored pattern, where schemas use them (`^(?!.*\.\.)…`).
 * Back-references, look-behind and look-ahead elsewhere need backtracking, which a hostile text can
 * make last for hours: for those it says why the pattern is refused.
 */
export function splitPattern(pattern: string): SafePattern | { readonly refused: string } {
  const lookaheads: { pattern: string; wanted: boolean }[] = [];
  let rest = pattern.startsWith("^") ? pattern.slice(1) : pattern;
  const anchored = rest !== pattern;
  while (anchored && /^\(\?[=!]/.test(rest)) {
    const end = groupEnd(rest);
    if (end === -1) return { refused: "its brackets do not match" };
    lookaheads.push({ pattern: `^(?:${rest.slice(3, end)})`, wanted: rest[2] === "=" });
    rest = rest.slice(end + 1);
  }
  const main = anchored ? `^${rest}` : rest;
  for (const part of [main, ...lookaheads.map((lookahead) => lookahead.pattern)]) {
    const construct = needsBacktracking(part);
    if (construct !== undefined) return { refused: `it uses ${construct}, which cannot be matched safely` };
  }
  return { main, lookaheads };
}

function needsBacktracking(pattern: string): string | undefined {
  const plain = pattern.replaceAll(/\\\\/g, "").replaceAll(/\[(?:[^\]\\]|\\.)*\]/g, "x");
  if (/\(\?<?[=!]/.test(plain)) return "look-around";
  if (/\\[1-9]|\\k</.test(plain)) return "a back-reference";
  return undefined;
}

/** The index of the bracket that closes the group at the start of the text, or -1. */
function groupEnd(text: string): number {
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}
