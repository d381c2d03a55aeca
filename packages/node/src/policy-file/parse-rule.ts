import type { Action, Condition, Rule, RuleScope } from "@toolkeep/core";
import { nearest, type Place, type PolicyDiagnostic } from "./diagnostic.ts";
import { entryAt, meaningOf, type PermissionEntry, rulesOfEntry } from "./permission-entry.ts";
import { isWord, readConditions } from "./rule-conditions.ts";
import { placePattern } from "./rule-pattern.ts";
import { RuleSyntaxError } from "./rule-syntax-error.ts";
import { type RuleWord, wordsFrom } from "./rule-words.ts";

export interface RuleContext extends Place {
  readonly file: string;
  /** `project` where it is left out. */
  readonly scope?: RuleScope;
  /** What `~` stands for. */
  readonly home?: string;
}

/** A line may stand for several rules: `deny Edit(x)` is about writing and about deleting. */
export type ParsedRule =
  | { readonly rules: readonly Rule[]; readonly diagnostic?: undefined }
  | { readonly diagnostic: PolicyDiagnostic };

const ACTIONS = ["allow", "ask", "deny"] as const;
const LONGEST = 2_000;
const PERMISSION = /^[\w.:*@/-]{1,200}$/;

/**
 * Reads `action permission ["pattern"] [if condition {and condition}] [never-remember] [because "…"]`,
 * or an entry such as `Bash(git status)`, which allows unless an action stands before it.
 */
export function parseRule(line: string, context: RuleContext): ParsedRule {
  try {
    return { rules: read(line, context) };
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    return { diagnostic: diagnosticOf(error, context) };
  }
}

function read(line: string, context: RuleContext): readonly Rule[] {
  checkCharacters(line);
  const { action, next } = readAction(line);
  const entry = entryAt(line, next);
  const { rules, words, at } =
    entry === undefined
      ? readOwn(line, next, action, context)
      : readEntry(line, entry, next, action, context);
  const clauses = readClauses(words, at, action);
  const { file, line: number, scope = "project" } = context;
  return rules.map((rule) => Object.freeze({ ...rule, scope, ...clauses, at: `${file}:${number}` }));
}

function checkCharacters(line: string): void {
  if (line.length > LONGEST)
    throw new RuleSyntaxError(`A rule is at most ${LONGEST} characters long.`, LONGEST);
  const hidden = line.search(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  if (hidden >= 0) throw new RuleSyntaxError("A rule is one line without hidden characters.", hidden);
}

function readAction(line: string): { readonly action: Action; readonly next: number } {
  const [before = "", word = "", after = ""] = /^\s*(\S+)(\s*)/.exec(line) ?? [];
  const action = ACTIONS.find((one) => one === word);
  const start = before.length - word.length - after.length;
  if (action !== undefined) return { action, next: before.length };
  if (entryAt(line, start) !== undefined) return { action: "allow", next: start };
  throw new RuleSyntaxError(
    word === ""
      ? "The rule is empty."
      : `A rule begins with allow, ask or deny, not with ${JSON.stringify(word)}.`,
    start,
    insteadOfAction(word),
  );
}

function insteadOfAction(word: string): string {
  const near = nearest(word.toLowerCase(), ACTIONS);
  if (near !== undefined) return `Did you mean \`${near}\`?`;
  const called = /^([a-z_]+)\((.*)\)?$/.exec(word);
  if (called !== null) return `Write e.g. \`allow ${called[1]} "pattern"\`.`;
  return 'Write e.g. `allow fs.read "src/**"`.';
}

interface Head {
  readonly rules: readonly Rule[];
  readonly words: readonly RuleWord[];
  /** The first word of the clauses. */
  readonly at: number;
}

function readOwn(line: string, from: number, action: Action, { home }: RuleContext): Head {
  const words = wordsFrom(line, from);
  const [first, second] = words;
  if (first === undefined || isClause(first)) {
    throw new RuleSyntaxError(
      "The permission is missing.",
      first?.at ?? line.length,
      `Write e.g. \`${action} fs.read\`.`,
    );
  }
  const permission = first.text;
  if (first.isQuoted || !PERMISSION.test(permission)) throw unfitPermission(first, action);
  if (second === undefined || isClause(second)) return { rules: [{ permission, action }], words, at: 1 };
  checkEnd(words, 2, second);
  const place = {
    permission,
    action,
    at: second.at + Number(second.isQuoted),
    ...(home === undefined ? {} : { home }),
  };
  return { rules: [{ permission, pattern: placePattern(second.text, place), action }], words, at: 2 };
}

function unfitPermission({ text, at, isQuoted }: RuleWord, action: Action): RuleSyntaxError {
  const instead = isQuoted
    ? `Write e.g. \`${action} fs.read ${JSON.stringify(text)}\`.`
    : `Write e.g. \`${action} bash "git status"\`.`;
  return new RuleSyntaxError(
    "A permission is a tool, an action of a tool, an MCP address, a capability or `*`, without quotes or brackets.",
    at,
    instead,
  );
}

/** After the pattern nothing but clauses may follow. */
function checkEnd(words: readonly RuleWord[], index: number, pattern: RuleWord): void {
  const next = words[index];
  if (next === undefined || isClause(next)) return;
  const rest = words.slice(1).findIndex(isClause);
  const end = rest === -1 ? words.length : rest + 1;
  const whole = words.slice(1, end).map(({ text }) => text);
  throw new RuleSyntaxError(
    `It is not clear what ${JSON.stringify(next.text)} is.`,
    next.at,
    pattern.isQuoted
      ? "Behind the pattern stand if, never-remember or because."
      : `Put the pattern in quotes: ${JSON.stringify(whole.join(" "))}.`,
  );
}

function readEntry(
  line: string,
  entry: PermissionEntry,
  from: number,
  action: Action,
  { home }: RuleContext,
): Head {
  const meaning = meaningOf(entry, action, home);
  if ("dropped" in meaning || meaning.isWidened) {
    const why = "dropped" in meaning ? meaning.dropped : meaning.note;
    throw new RuleSyntaxError(
      `The entry \`${line.slice(from, entry.end)}\` cannot be said as a rule: ${why}.`,
      from,
      `Write e.g. \`${action} shell.run "git status"\`.`,
    );
  }
  const words = wordsFrom(line, entry.end);
  const [next] = words;
  if (next !== undefined && !isClause(next)) {
    throw new RuleSyntaxError(
      `It is not clear what ${JSON.stringify(next.text)} is.`,
      next.at,
      "Behind an entry stand if, never-remember or because.",
    );
  }
  return { rules: rulesOfEntry(meaning, action), words, at: 0 };
}

function isClause(word: RuleWord): boolean {
  return isWord(word, "if") || isWord(word, "never-remember") || isWord(word, "because");
}

interface Clauses {
  readonly if?: readonly Condition[];
  readonly neverRemember?: true;
  readonly because?: string;
}

function readClauses(words: readonly RuleWord[], from: number, action: Action): Clauses {
  let clauses: Clauses = {};
  let index = from;
  for (let word = words[index]; word !== undefined; word = words[index]) {
    const read = readClause(words, index, word, action);
    if (Object.keys(read.clause).some((key) => key in clauses)) {
      throw new RuleSyntaxError(`\`${word.text}\` is said twice.`, word.at, "Join conditions with `and`.");
    }
    clauses = { ...clauses, ...read.clause };
    index = read.next;
  }
  return clauses;
}

function readClause(
  words: readonly RuleWord[],
  index: number,
  word: RuleWord,
  action: Action,
): { readonly clause: Clauses; readonly next: number } {
  if (isWord(word, "if")) {
    const { conditions, next } = readConditions(words, index);
    return { clause: { if: conditions }, next };
  }
  if (isWord(word, "never-remember")) {
    if (action === "ask") return { clause: { neverRemember: true }, next: index + 1 };
    throw new RuleSyntaxError(
      "Only a rule that asks is remembered or not.",
      word.at,
      "Leave out `never-remember`, or write `ask`.",
    );
  }
  const reason = words[index + 1];
  if (!isWord(word, "because")) {
    throw new RuleSyntaxError(
      `It is not clear what ${JSON.stringify(word.text)} is.`,
      word.at,
      "Join conditions with `and`.",
    );
  }
  if (reason?.isQuoted && reason.text.trim() !== "")
    return { clause: { because: reason.text.trim() }, next: index + 2 };
  throw new RuleSyntaxError(
    "The reason stands in quotes behind `because`.",
    word.at + word.text.length,
    'Write e.g. `because "ask the owner"`.',
  );
}

function diagnosticOf(error: RuleSyntaxError, { file, line, column }: RuleContext): PolicyDiagnostic {
  const { message, offset, instead } = error;
  return { file, line, column: column + offset, message, ...(instead === undefined ? {} : { instead }) };
}
