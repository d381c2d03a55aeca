import type { Dialect } from "./dialects.ts";
import type { Token } from "./tokens.ts";

interface KnownOptions {
  /** Files that turn out to be read are put here. */
  readonly reads: string[];
  /** Words that this statement may have, though queries may not. */
  readonly permits?: ReadonlySet<string>;
  /** After these words comes the name of a table, which may have a list of columns behind it. */
  readonly tablesAfter?: RegExp;
}

/** Whether a statement has no word that changes something, and calls nothing but functions that are known. */
export function isKnown(tokens: readonly Token[], dialect: Dialect, options: KnownOptions): boolean {
  const { permits, tablesAfter } = options;
  const named = dialect.isScript ? new Set<number>() : namedQueries(tokens);
  return tokens.every((token, at) => {
    if (dialect.names.has(token.text.toLowerCase())) return false;
    if (token.kind === "word") {
      const pair = `${wordAt(tokens, at - 1)}+${token.text}`;
      if (dialect.forbids.has(token.text) && permits?.has(token.text) !== true) return false;
      if (dialect.forbids.has(pair)) return false;
      if (dialect.isScript && !isPlainName(tokens, at, dialect)) return false;
    } else if (dialect.extensions !== undefined && !isPlainTable(tokens, at, dialect, options)) return false;
    if (token.kind !== "mark" || token.text !== "(" || named.has(at - 1)) return true;
    return isTable(tokens, at - 1, tablesAfter) || isKnownCall(tokens, at, dialect, options);
  });
}

/** The word at a place; nothing where something else is there. */
export function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === "word" ? token.text : "";
}

/** The mark at a place; nothing where something else is there. */
export function markAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === "mark" ? token.text : "";
}

/** What stands before a parenthesis. */
function isKnownCall(tokens: readonly Token[], at: number, dialect: Dialect, options: KnownOptions): boolean {
  const before = tokens[at - 1];
  if (before === undefined) return true;
  if (before.kind === "mark") return !/^[\])}.]$/.test(before.text);
  if (before.kind !== "word" && before.kind !== "name") return false;
  const isQualified = markAt(tokens, at - 2) === ".";
  if (isQualified && !dialect.isScript && !dialect.schemas.has(tokens[at - 3]?.text ?? "")) return false;
  if (dialect.functions.has(before.text)) return true;
  if (dialect.files.has(before.text)) return !isQualified && readsFiles(tokens, at + 1, options);
  return !isQualified && before.kind === "word" && dialect.keywords.has(before.text);
}

function isTable(tokens: readonly Token[], at: number, after: RegExp | undefined): boolean {
  let start = at;
  while (markAt(tokens, start - 1) === ".") start -= 2;
  return after?.test(wordAt(tokens, start - 1)) === true;
}

/** The names that `WITH` gives to queries, each of which may have a list of columns: `WITH t (a, b) AS (…), u AS (…)`. */
function namedQueries(tokens: readonly Token[]): ReadonlySet<number> {
  const named = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    if (wordAt(tokens, at) !== "with") continue;
    let name = wordAt(tokens, at + 1) === "recursive" ? at + 2 : at + 1;
    for (;;) {
      let next = markAt(tokens, name + 1) === "(" ? closing(tokens, name + 1) + 1 : name + 1;
      if (wordAt(tokens, next) !== "as") break;
      next += 1;
      while (/^(?:not|materialized)$/.test(wordAt(tokens, next))) next += 1;
      if (markAt(tokens, next) !== "(") break;
      named.add(name);
      const end = closing(tokens, next);
      if (markAt(tokens, end + 1) !== ",") break;
      name = end + 2;
    }
  }
  return named;
}

/** Where the parenthesis that opens here is closed. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    depth += depthOf(tokens, at);
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** By how much a part goes into parentheses. */
export function depthOf(tokens: readonly Token[], at: number): number {
  const mark = markAt(tokens, at);
  return mark === "(" ? 1 : mark === ")" ? -1 : 0;
}

/** Where a name ends, it is passed on. */
const PASSED = /^[)\]},]$/;

/** In a program: a key, a call, a part of something, or a value that has a name. What is not called is not passed on. */
function isPlainName(tokens: readonly Token[], at: number, { literals, queries }: Dialect): boolean {
  const next = markAt(tokens, at + 1);
  if (markAt(tokens, at - 1) === ".") return !PASSED.test(next);
  const isFirst = queries.has(wordAt(tokens, at)) && (next === "." || tokens.length === 1);
  return next === ":" || next === "(" || isFirst || literals.has(wordAt(tokens, at));
}

const PATH = /^(?!~)[^:|`$\\\n]+$/;

/** `'a.csv'`, or a list of such. */
function readsFiles(tokens: readonly Token[], start: number, { reads }: KnownOptions): boolean {
  const isList = markAt(tokens, start) === "[";
  let at = isList ? start + 1 : start;
  for (;;) {
    const file = tokens[at];
    if (file?.kind !== "string" || !PATH.test(file.text)) return false;
    reads.push(file.text);
    at += 1;
    if (!isList || markAt(tokens, at) !== ",") break;
    at += 1;
  }
  return isList ? markAt(tokens, at) === "]" : /^[,)]$/.test(markAt(tokens, at));
}

/** Where a file may stand for a table, it must be one whose contents are known to be only read. */
function isPlainTable(
  tokens: readonly Token[],
  at: number,
  { extensions }: Dialect,
  { reads }: KnownOptions,
): boolean {
  const { kind, text } = tokens[at] as Token;
  if (kind !== "string" && kind !== "name") return true;
  const isFile = extensions?.test(text) === true && PATH.test(text);
  if (isFile) reads.push(text);
  return isFile || !/[./:]/.test(text) || !isPlaceOfTable(tokens, at);
}

const TABLES = /^(?:from|join|table|pivot|unpivot|describe|desc|summarize|show|into|update)$/;
const NO_TABLES = /^(?:select|where|by|having|limit|offset|qualify|values)$/;

/** Directly after a word that names a table, or in a list that begins with one. */
function isPlaceOfTable(tokens: readonly Token[], place: number): boolean {
  if (markAt(tokens, place - 1) !== ",") return TABLES.test(wordAt(tokens, place - 1));
  let depth = 0;
  for (let at = place - 1; at >= 0; at -= 1) {
    depth -= depthOf(tokens, at);
    const word = wordAt(tokens, at);
    if (depth === 0 && (TABLES.test(word) || NO_TABLES.test(word))) return TABLES.test(word);
    if (depth < 0) return markAt(tokens, at) === "(" && TABLES.test(wordAt(tokens, at - 1));
  }
  return true;
}
