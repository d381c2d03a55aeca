/** A part of a text for a database. */
export interface Token {
  readonly kind: "word" | "name" | "string" | "number" | "mark";
  /** Words in small letters; names and strings without their quotes. */
  readonly text: string;
}

/**
 * The parts of a text, without comments. `undefined` where it has something that this language does not have, or that
 * its versions and settings take apart in different ways: a backslash before a quote, a comment in a comment.
 */
export function tokensOf(text: string, lexicon: RegExp): readonly Token[] | undefined {
  const tokens: Token[] = [];
  lexicon.lastIndex = 0;
  while (lexicon.lastIndex < text.length) {
    const found = lexicon.exec(text)?.groups;
    if (found === undefined || tokens.length > MOST_TOKENS) return undefined;
    const { word, name, string, number, end, mark } = found;
    if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase() });
    else if (name !== undefined) tokens.push({ kind: "name", text: name.slice(1, -1) });
    else if (string !== undefined) tokens.push({ kind: "string", text: string.slice(1, -1) });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (end !== undefined || mark !== undefined) tokens.push({ kind: "mark", text: mark ?? ";" });
  }
  return tokens;
}

const MOST_TOKENS = 4_000;
const DOLLARS = String.raw`\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?\$\k<tag>\$`;
const NUMBER = String.raw`(?:0[xX][\da-fA-F]+|\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)(?![\w$.\p{L}])`;
/** Postgres takes `U&"\0041"` for `"A"`. */
const WORD = String.raw`(?![uU]&['"])[\p{L}_][\p{L}\p{N}\p{M}_$]*`;
/** Nothing is in it that another version, or another setting, takes for the end. */
const quotedBy = (quote: string) =>
  String.raw`${quote}(?:[^${quote}\\]|${quote}{2}|\\[^${quote}])*${quote}(?!${quote})`;

/** The expression that finds one part after the other. */
export function lexiconOf({ comments, quotes, marks, ends = "(?!)", isScript }: Lexical): RegExp {
  const names = [...quotes].flatMap((quote) =>
    quote === "[" ? String.raw`\[[^[\]]*\]` : /["`]/.test(quote) ? quotedBy(quote) : [],
  );
  const strings = [quotedBy("'"), ...(quotes.includes("$") ? [DOLLARS] : [])];
  const parts = [
    `(?<blank>[ \\t\\r\\n\\f]+|${comments})`,
    `(?<name>${names.join("|") || "(?!)"})`,
    `(?<string>${strings.join("|")})`,
    `(?<number>${NUMBER})`,
    `(?<word>${isScript === true ? String.raw`\$?${WORD}` : WORD})`,
    `(?<end>${ends})`,
    `(?<mark>(?!--|\\/\\*)(?:${marks}))`,
  ];
  return new RegExp(parts.join("|"), "uy");
}

/** How a language is written. Texts with expressions in them. */
export interface Lexical {
  /** Comments, which are skipped. */
  readonly comments: string;
  /** What begins something quoted: `'`, `"`, a backtick, `[`, or `$` for `$tag$…$tag$`. */
  readonly quotes: string;
  /** Everything else that may stand outside of quotes. */
  readonly marks: string;
  /** What ends a statement besides `;`. */
  readonly ends?: string;
  /** It is a program of calls, and not SQL. */
  readonly isScript?: boolean;
}
