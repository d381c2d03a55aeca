import type { ConditionLanguage } from "../../contract/policy/decision.ts";
import type { Action, Rule, RuleScope } from "../../contract/policy/rule.ts";
import { defined } from "../../contract/values/defined.ts";
import type { Diagnostic } from "../../contract/values/diagnostic.ts";
import { closestName, mapNamingAll, ToolkeepError } from "../../contract/values/error.ts";
import { expandBraces } from "../../file-names/text-pattern.ts";
import { labelRule } from "./label-line.ts";
import { entryAt, meaningOf, type PermissionEntry, rulesOfEntry } from "./permission-entry.ts";
import { isClause, readClauses } from "./rule-clauses.ts";
import { resolvePattern, writtenRuleError } from "./rule-pattern.ts";
import { RuleSyntaxError, type RuleToken, tokensFrom } from "./rule-tokens.ts";
import { checkWhen } from "./rule-when.ts";

/** Where a rule is written, and what its text depends on. */
export interface ParseRuleOptions {
  /** For `at` of the rules and for diagnostics. */
  readonly file?: string;
  /** Position of the rule in the file, counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Default: `manifest`, as for rules in the object form. */
  readonly scope?: RuleScope;
  /** The value of `~`. Without it, a rule with `~` is an error. */
  readonly home?: string;
  /** The names of the variables that the host application declares. */
  readonly variables?: readonly string[];
  /** The language of `when`, to check it where it is written. Without it, `when` is checked when the policy is compiled. */
  readonly conditions?: ConditionLanguage;
}

/** One line can stand for several rules: `deny Edit(x)` is about writing and about deleting. */
export type ParsedRule =
  | { readonly rules: readonly Rule[]; readonly diagnostic?: undefined }
  | { readonly diagnostic: Diagnostic };

const ACTIONS = ["allow", "ask", "deny"] as const;
const LONGEST = 2_000;

/**
 * Reads one rule: `[final] action permission ["pattern"] [if condition {and condition}] [when "expression"]
 * [by [N of] group NAME [within 1h]] [never-remember] [because "…"]`, or
 * an entry as Claude Code spells it, such as `Bash(git status)`, which allows unless an action precedes it. A line
 * `label private "pattern"` says what is read at these paths.
 * A policy takes the same lines as `rules`, in code and in a YAML file.
 *
 * @example
 * const parsed = parseRule('ask net.fetch "*.weather.example"');
 * if (parsed.diagnostic !== undefined) throw new Error(parsed.diagnostic.message);
 * compilePolicy({ rules: parsed.rules });
 */
export function parseRule(line: string, options: ParseRuleOptions = {}): ParsedRule {
  return parsed(line, { variables: [], ...options });
}

function parsed(line: string, options: ParseRuleOptions): ParsedRule {
  try {
    return { rules: read(line, options) };
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    return { diagnostic: diagnosticOf(error, options) };
  }
}

/** The object form of rules that may be written as lines. @throws ToolkeepError `invalid_rule`. */
export function readRules(rules: readonly (Rule | string)[]): readonly Rule[] {
  if (!Array.isArray(rules)) throw new ToolkeepError("invalid_rule", "The rules of a policy must be a list.");
  return mapNamingAll(rules, (rule: Rule | string) => {
    if (typeof rule !== "string") return rulesOfSet(rule);
    // Its variables are checked when it is compiled, where it is known which are declared.
    const line = parsed(rule, {});
    if (line.diagnostic === undefined) return line.rules;
    const { message, column, hint } = line.diagnostic;
    throw new ToolkeepError(
      "invalid_rule",
      `Invalid rule ${JSON.stringify(rule)}, column ${column}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
    );
  }).flat();
}

function read(line: string, options: ParseRuleOptions): readonly Rule[] {
  checkCharacters(line);
  const label = labelRule(line, options);
  if (label !== undefined) return [label];
  const { action, next, final } = readAction(line);
  const entry = entryAt(line, next);
  const { rules, tokens, at } =
    entry === undefined
      ? readOwn(line, next, action, options)
      : readEntry(line, entry, next, action, options);
  const clauses = readClauses(tokens, at, action);
  checkWhen(tokens, clauses.when, options);
  const { file, line: number = 1, scope } = options;
  return rules.map((rule) => {
    const whole: Rule = {
      ...rule,
      ...(scope === undefined ? {} : { scope }),
      ...final,
      ...clauses,
      ...(file === undefined ? {} : { at: `${file}:${number}` }),
    };
    const error = writtenRuleError(whole);
    if (error !== undefined)
      throw new RuleSyntaxError(`The rule is invalid: ${error}${error.endsWith("?") ? "" : "."}`, 0);
    return Object.freeze(whole);
  });
}

function checkCharacters(line: string): void {
  if (line.length > LONGEST) throw new RuleSyntaxError(`A rule has at most ${LONGEST} characters.`, LONGEST);
  const hidden = line.search(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  if (hidden >= 0)
    throw new RuleSyntaxError("A rule is one line without control or invisible characters.", hidden);
}

interface Start {
  readonly action: Action;
  readonly next: number;
  readonly final?: Pick<Rule, "final">;
}

function readAction(line: string): Start {
  const [match = "", before = "", first = "", space = ""] = /^\s*(final\s+)?(\S+)(\s*)/.exec(line) ?? [];
  const action = ACTIONS.find((one) => one === first);
  const start = match.length - first.length - space.length;
  const final = before === "" ? {} : { final: { final: true } };
  if (action !== undefined) return { action, next: match.length, ...final };
  if (before === "" && entryAt(line, start) !== undefined) return { action: "allow", next: start };
  throw new RuleSyntaxError(
    first === ""
      ? "The rule is empty."
      : `A rule begins with allow, ask or deny, not with ${JSON.stringify(first)}.`,
    start,
    actionHint(first),
  );
}

function actionHint(word: string): string {
  const closest = closestName(word.toLowerCase(), ACTIONS);
  if (closest !== undefined) return `Did you mean \`${closest}\`?`;
  const entry = /^([a-z_]+)\((.*)\)?$/.exec(word);
  if (entry !== null) return `Write e.g. \`allow ${entry[1]} "pattern"\`.`;
  return 'Write e.g. `allow fs.read "src/**"`.';
}

interface Head {
  readonly rules: readonly Rule[];
  readonly tokens: readonly RuleToken[];
  /** Index of the first token of the clauses. */
  readonly at: number;
}

function readOwn(line: string, from: number, action: Action, { home, variables }: ParseRuleOptions): Head {
  const tokens = tokensFrom(line, from);
  const [first, second] = tokens;
  if (first === undefined || isClause(first)) {
    throw new RuleSyntaxError(
      "The permission is missing.",
      first?.at ?? line.length,
      `Write e.g. \`${action} fs.read\`.`,
    );
  }
  const permissions = first.isQuoted ? undefined : permissionsOf(first.text);
  if (permissions === undefined) throw invalidPermission(first, action);
  if (second === undefined || isClause(second))
    return { rules: permissions.map((permission) => ({ permission, action })), tokens, at: 1 };
  checkEnd(tokens, 2, second);
  const rules = permissions.map((permission) => {
    const pattern = resolvePattern(second.text, {
      permission,
      action,
      at: second.at + Number(second.isQuoted),
      ...defined({ home, variables }),
    });
    return { permission, pattern, action };
  });
  return { rules, tokens, at: 2 };
}

function invalidPermission({ text, at, isQuoted }: RuleToken, action: Action): RuleSyntaxError {
  const hint = isQuoted
    ? `Write e.g. \`${action} fs.read ${JSON.stringify(text)}\`.`
    : `Write e.g. \`${action} bash "git status"\`.`;
  return new RuleSyntaxError(
    "A permission is a tool, an action of a tool, an MCP address, a capability or `*`, without quotes or brackets; a set of them is written {a,b}, without spaces.",
    at,
    hint,
  );
}

/** Only clauses may follow the pattern. */
function checkEnd(tokens: readonly RuleToken[], index: number, pattern: RuleToken): void {
  const next = tokens[index];
  if (next === undefined || isClause(next)) return;
  const rest = tokens.slice(1).findIndex(isClause);
  const end = rest === -1 ? tokens.length : rest + 1;
  const whole = tokens.slice(1, end).map(({ text }) => text);
  throw new RuleSyntaxError(
    `Unexpected ${JSON.stringify(next.text)}.`,
    next.at,
    pattern.isQuoted
      ? "After the pattern, write if, when, by, never-remember or because."
      : `Put the pattern in quotes: ${JSON.stringify(whole.join(" "))}.`,
  );
}

function readEntry(
  line: string,
  entry: PermissionEntry,
  from: number,
  action: Action,
  { home }: ParseRuleOptions,
): Head {
  const meaning = meaningOf(entry, action, home);
  if ("dropped" in meaning || meaning.isWidened) {
    const why = "dropped" in meaning ? meaning.dropped : meaning.note;
    throw new RuleSyntaxError(
      `The entry \`${line.slice(from, entry.end)}\` has no equivalent rule: ${why}.`,
      from,
      `Write e.g. \`${action} shell.run "git status"\`.`,
    );
  }
  const tokens = tokensFrom(line, entry.end);
  const [next] = tokens;
  if (next !== undefined && !isClause(next)) {
    throw new RuleSyntaxError(
      `Unexpected ${JSON.stringify(next.text)}.`,
      next.at,
      "After an entry, write if, when, by, never-remember or because.",
    );
  }
  return { rules: rulesOfEntry(meaning, action), tokens, at: 0 };
}

function diagnosticOf(
  { message, offset, hint }: RuleSyntaxError,
  { file, line, column = 1 }: ParseRuleOptions,
): Diagnostic {
  return { code: "invalid_rule", message, column: column + offset, ...defined({ file, line, hint }) };
}

const PERMISSION = /^[\w.:*@/-]{1,200}$/;
const MOST_PERMISSIONS = 32;

/** The permissions that `fs.{read,write}` stands for; `undefined` if it is none. */
function permissionsOf(written: string): readonly string[] | undefined {
  const permissions = written.length > 400 ? undefined : expandBraces(written);
  if (permissions === undefined || permissions.length > MOST_PERMISSIONS) return undefined;
  return permissions.every((one) => PERMISSION.test(one)) ? [...new Set(permissions)] : undefined;
}

/** One rule for each permission of a set. Whatever else is wrong with a rule is said when it is compiled. */
function rulesOfSet(rule: Rule): readonly Rule[] {
  if (typeof rule?.permission !== "string" || !rule.permission.includes("{")) return [rule];
  return permissionsOf(rule.permission)?.map((permission) => ({ ...rule, permission })) ?? [rule];
}
