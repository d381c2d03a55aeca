/** A line that is not a rule. `parseRule` turns it into a diagnostic. */
export class RuleSyntaxError extends Error {
  /** Position in the line, counted from 0. */
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** One word of a rule, or one quoted string. */
export interface RuleToken {
  readonly text: string;
  /** Position in the line, counted from 0. */
  readonly at: number;
  readonly isQuoted: boolean;
}

const PIECE = /\s+|"(?:[^"\\]|\\.)*"|[^\s"]+|"/gy;

/** Splits a line from `from` on. Quoted strings are JSON strings. @throws RuleSyntaxError. */
export function tokensFrom(line: string, from: number): readonly RuleToken[] {
  const tokens: RuleToken[] = [];
  let end = -1;
  PIECE.lastIndex = from;
  for (let found = PIECE.exec(line); found !== null; found = PIECE.exec(line)) {
    const [piece] = found;
    if (piece.trim() === "") continue;
    if (found.index === end) {
      throw new RuleSyntaxError("A quoted string must be separated by spaces.", found.index, "Add a space.");
    }
    tokens.push(tokenOf(piece, found.index));
    end = found.index + piece.length;
  }
  return tokens;
}

function tokenOf(piece: string, at: number): RuleToken {
  if (!piece.startsWith('"')) return { text: piece, at, isQuoted: false };
  try {
    if (piece.length > 1) return { text: JSON.parse(piece) as string, at, isQuoted: true };
  } catch {
    throw new RuleSyntaxError(
      "In a quoted string, a backslash may only escape a quote or another backslash.",
      at,
      'Write "\\\\".',
    );
  }
  throw new RuleSyntaxError(
    "This quote is never closed.",
    at,
    "If the rule contains ` #` or `: `, put the whole line in single quotes.",
  );
}

/** Whether the token is this keyword. A quoted string never is. */
export function isKeyword(token: RuleToken | undefined, keyword: string): boolean {
  return token !== undefined && !token.isQuoted && token.text === keyword;
}
