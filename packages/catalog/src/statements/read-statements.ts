import { type Dialect, dialectNamed } from "./dialects.ts";
import { depthOf, isKnown, markAt, wordAt } from "./known-parts.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** What a text for a database does. */
export interface StatementReading {
  readonly does: "db.read" | "db.read secret.read" | "db.write" | "db.drop";
  /** Files that it reads. */
  readonly reads: readonly string[];
}

/** Whatever is not proved is the worst it may be. */
const WORST: StatementReading = { does: "db.drop", reads: [] };

/**
 * Reads a text for a database: statements, and lines that are commands of the client. It reads only if each of them
 * begins with a word of a query, has none of the words that change something, and calls functions that are known.
 */
export function readStatements(text: string, language: string): StatementReading {
  const dialect = dialectNamed(language);
  if (dialect === undefined || dialect.never?.test(text) === true) return WORST;
  const reads: string[] = [];
  const found = new Set<StatementReading["does"]>();
  for (const { part, isCommand, isLast } of partsOf(text, dialect)) {
    if (isCommand) found.add(dialect.commands?.test(part) === true ? "db.read" : "db.drop");
    else {
      const tokens = tokensOf(part, dialect.lexicon);
      // A command of the client would be within a statement.
      const isOpen =
        !isLast && tokens?.length !== 0 && markAt(tokens ?? [], (tokens?.length ?? 0) - 1) !== ";";
      if (tokens === undefined || isOpen) return WORST;
      for (const statement of statementsOf(tokens)) found.add(capabilityOf(statement, dialect, reads));
    }
  }
  const worst = ORDER.find((does) => found.has(does));
  return worst === undefined ? WORST : { does: worst, reads };
}

const ORDER = ["db.drop", "db.write", "db.read secret.read", "db.read"] as const;

interface Part {
  readonly part: string;
  readonly isCommand: boolean;
  readonly isLast: boolean;
}

/** Commands of a client are lines of their own, which begin with a character that no line of a statement begins with. */
function partsOf(text: string, { commands }: Dialect): readonly Part[] {
  if (commands === undefined) return [{ part: text, isCommand: false, isLast: true }];
  const mark = commands.source.charAt(2);
  const parts: string[] = [];
  for (const line of text.split("\n")) {
    const isCommand = line.trimStart().startsWith(mark);
    const last = parts.at(-1);
    if (isCommand || last === undefined || last.startsWith(mark)) parts.push(isCommand ? line.trim() : line);
    else parts[parts.length - 1] = `${last}\n${line}`;
  }
  return parts.map((part, at) => ({
    part,
    isCommand: part.startsWith(mark),
    isLast: at === parts.length - 1,
  }));
}

function statementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  for (const token of tokens)
    if (token.kind === "mark" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  return statements.filter(({ length }) => length > 0);
}

function capabilityOf(tokens: readonly Token[], dialect: Dialect, reads: string[]): StatementReading["does"] {
  if (!isRead(tokens, dialect, reads)) return changes(tokens, dialect) ? "db.write" : "db.drop";
  const isSecret = tokens.some(({ text }, at) => {
    const qualified = tokens[at + 1]?.text === "." ? `${text}.${tokens[at + 2]?.text}` : text;
    return dialect.secrets.has(text.toLowerCase()) || dialect.secrets.has(qualified.toLowerCase());
  });
  return isSecret ? "db.read secret.read" : "db.read";
}

function isRead(tokens: readonly Token[], dialect: Dialect, reads: string[]): boolean {
  const start = tokens.findIndex((_, at) => markAt(tokens, at) !== "(");
  const verb = wordAt(tokens, start);
  if (verb === "pragma") return isLookingPragma(tokens.slice(1), dialect);
  if (verb === "set") return isHarmlessSet(tokens, dialect);
  if (dialect.explains.has(verb)) return isExplained(tokens, dialect, reads);
  if (dialect.queries.has(verb)) return isKnown(tokens, dialect, { reads });
  if (dialect.shows.has(verb))
    return dialect.isScript ? tokens.length === 2 : isKnown(tokens, dialect, { reads, permits: SHOWN });
  return start === 0 && tokens.every((_, at) => dialect.transactions.has(wordAt(tokens, at)));
}

/** `SHOW CREATE TABLE`, `SHOW GRANTS`. */
const SHOWN: ReadonlySet<string> = new Set(["create", "update", "grant"]);

/** What is explained is not run, unless it is analyzed. */
function isExplained(tokens: readonly Token[], dialect: Dialect, reads: string[]): boolean {
  const at = tokens.findIndex((_, index) => {
    const word = wordAt(tokens, index);
    return index > 0 && (dialect.queries.has(word) || dialect.changing.has(word));
  });
  if (dialect.queries.has(wordAt(tokens, at))) return isKnown(tokens, dialect, { reads });
  if (tokens.some(({ text }) => /^analy[sz]e$/i.test(text))) return false;
  const permits = at === -1 ? SHOWN : CHANGED;
  return isKnown(tokens, dialect, { reads, permits, tablesAfter: /^into$/ });
}

const CHANGED: ReadonlySet<string> = new Set("insert into update delete merge returning".split(" "));

function isLookingPragma(tokens: readonly Token[], { pragmas, settings }: Dialect): boolean {
  const at = tokens[1]?.text === "." ? 2 : 0;
  const name = wordAt(tokens, at);
  const given = tokens.slice(at + 1).map(({ text }) => text);
  if (given.length === 0) return pragmas.has(name) || settings.has(name);
  return pragmas.has(name) && given.length === 3 && given[0] === "(" && given[2] === ")";
}

function isHarmlessSet(tokens: readonly Token[], { sets }: Dialect): boolean {
  const name = wordAt(tokens, /^(?:session|local)$/.test(wordAt(tokens, 1)) ? 2 : 1);
  return sets.has(name) && tokens.every(({ text }) => text !== "(" && text !== "@");
}

/** A plain statement that adds something, or changes what a condition names. */
function changes(tokens: readonly Token[], dialect: Dialect): boolean {
  const { permits, isScript, functions, writes } = dialect;
  if (isScript)
    return isKnown(tokens, { ...dialect, functions: new Set([...functions, ...writes]) }, { reads: [] });
  const words = outsideOfParentheses(tokens);
  if (!dialect.changes.some((change) => change.test(words))) return false;
  const isComputed = tokens.some((_, at) => wordAt(tokens, at) === "select");
  return isKnown(tokens, dialect, { reads: [], permits, tablesAfter: isComputed ? AFTER : AFTER_ANY });
}

/** A list of columns may follow the name of a table after these words. */
const AFTER = /^(?:into|table|exists|view)$/;
const AFTER_ANY = /^(?:into|table|exists|view|on|references|key|index|using|constraint|unique)$/;

function outsideOfParentheses(tokens: readonly Token[]): string {
  let depth = 0;
  const words: string[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    const step = depthOf(tokens, at);
    depth += step;
    if (depth === 0 && step === 0) words.push(kind === "name" ? '"' : kind === "string" ? "'" : text);
  }
  return words.join(" ").replaceAll(/ ?\. ?/g, ".");
}
