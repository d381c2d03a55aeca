import { RuleSyntaxError } from "./rule-syntax-error.ts";

/** One word of a rule, or one text in quotes. */
export interface RuleWord {
  readonly text: string;
  /** Where it begins in the line, counted from 0. */
  readonly at: number;
  readonly isQuoted: boolean;
}

const PIECE = /\s+|"(?:[^"\\]|\\.)*"|[^\s"]+|"/gy;

/** Splits a line from `from` on. Texts in quotes are JSON strings. @throws RuleFault. */
export function wordsFrom(line: string, from: number): readonly RuleWord[] {
  const words: RuleWord[] = [];
  let end = -1;
  PIECE.lastIndex = from;
  for (let found = PIECE.exec(line); found !== null; found = PIECE.exec(line)) {
    const [piece] = found;
    if (piece.trim() === "") continue;
    if (found.index === end) {
      throw new RuleSyntaxError("Quotes begin and end a word.", found.index, "Put a space between the two.");
    }
    words.push(wordOf(piece, found.index));
    end = found.index + piece.length;
  }
  return words;
}

function wordOf(piece: string, at: number): RuleWord {
  if (!piece.startsWith('"')) return { text: piece, at, isQuoted: false };
  try {
    if (piece.length > 1) return { text: JSON.parse(piece) as string, at, isQuoted: true };
  } catch {
    throw new RuleSyntaxError(
      "A backslash in quotes stands before a quote or a backslash alone.",
      at,
      'Write "\\\\".',
    );
  }
  throw new RuleSyntaxError(
    "This quote is never closed.",
    at,
    "Where the rule contains ` #` or `: `, put the whole line in single quotes.",
  );
}
