import type { Variables } from "../../contract/call/effect.ts";
import { STANDARD_VARIABLES } from "../../contract/call/variables.ts";
import type { ConditionLanguage, Decision } from "../../contract/policy/decision.ts";
import type { Action, Rule, RuleScope } from "../../contract/policy/rule.ts";
import { ToolkeepError } from "../../contract/values/error.ts";
import { approversError, approversText } from "../approvers/required-approvers.ts";
import { kindOfTarget } from "../patterns/compile-glob.ts";
import { literalLength, patternError } from "../patterns/pattern-error.ts";
import { indexPatterns, type PatternIndex } from "../patterns/pattern-index.ts";
import { compileCondition, type Holds } from "./conditions.ts";
import { RULE_FIELDS } from "./definition-fields.ts";
import { expandVariables } from "./expand-variables.ts";
import { permissionError } from "./known-permissions.ts";
import { type CompiledWhen, compileWhen } from "./when.ts";

/** A valid rule, prepared for evaluation. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly scope: RuleScope;
  /** As a line of a policy file. */
  readonly words: string;
  /** One for each value of the variables in its pattern. Without a value an allow has none, and an ask or a deny matches everywhere. */
  readonly patterns: readonly string[];
  readonly literal: number;
  readonly conditions: readonly Holds[];
  /** How long earlier calls count for its `when`, in milliseconds; 0 where they do not. */
  readonly longestWindowMs: number;
  /** The decision if this rule decides. */
  readonly decision: Decision;
}

const ACTIONS: ReadonlySet<string> = new Set<Action>(["allow", "ask", "deny"]);
const SCOPES: ReadonlySet<string> = new Set<RuleScope>(["manifest", "project", "session"]);
const PERMISSION = /^[\w.:*@/-]{1,200}$/;

/** @throws ToolkeepError `invalid_rule`. */
export function compileRule(given: Rule, variables: Variables, language?: ConditionLanguage): CompiledRule {
  const error = ruleError(given);
  if (error !== undefined) throw invalid(given, error);
  // A copy: the caller may change its object later.
  const rule = Object.freeze({
    ...given,
    ...(given.if === undefined ? {} : { if: Object.freeze([...given.if]) }),
  });
  const pattern = rule.pattern ?? "**";
  // Without a value, an allow allows nothing; an ask or a deny must not become void, so it matches everywhere.
  const expand = (values: Variables) =>
    expandVariables(pattern, values, (name) => invalid(rule, `unknown variable {${name}}`));
  const wrong = expand(variables)
    .map((one) => misplaced(rule.permission, one))
    .find((one) => one !== undefined);
  if (wrong !== undefined) throw invalid(rule, `with the values of its variables, ${wrong}`);
  const patterns = expand(rule.action === "allow" ? variables : everywhere(variables, rule.permission)).map(
    (one) => hostsInLowerCase(rule.permission, one),
  );
  const when = whenOf(rule, patterns, language);
  const named = (rule.if ?? []).map((condition) => compileCondition(condition) ?? never(rule, condition));
  return {
    rule,
    scope: rule.scope ?? "manifest",
    words: ruleText(rule),
    decision: decisionOf(rule),
    patterns,
    literal: literalLength(pattern),
    conditions: when === undefined ? named : [...named, when.holds],
    longestWindowMs: when?.longestWindowMs ?? 0,
  };
}

function whenOf(
  rule: Rule,
  patterns: readonly string[],
  language: ConditionLanguage | undefined,
): CompiledWhen | undefined {
  if (rule.when === undefined) return undefined;
  const compiled = compileWhen(rule, patterns, language);
  if (typeof compiled === "string") throw invalid(rule, compiled);
  return compiled;
}

/** The rule in one line, as in a policy file. */
export function ruleText(rule: Rule): string {
  const { action, permission, pattern, if: conditions = [], when, approvers, neverRemember, final } = rule;
  if (rule.label !== undefined) return `label ${rule.label} ${JSON.stringify(pattern ?? "**")}`;
  return [
    `${final === true ? "final " : ""}${action} ${permission}`,
    ...(pattern === undefined ? [] : [JSON.stringify(pattern)]),
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(" and ")}`]),
    ...(when === undefined ? [] : [`when ${JSON.stringify(when)}`]),
    ...(approvers === undefined ? [] : [approversText(approvers)]),
    ...(neverRemember ? ["never-remember"] : []),
  ].join(" ");
}

/** Why a rule is invalid, or `undefined`. Its variables are checked when it is compiled. */
export function ruleError(rule: Rule): string | undefined {
  if (typeof rule !== "object" || rule === null) return "a rule is an object";
  const foreign = Object.keys(rule).find((key) => !RULE_FIELDS.has(key));
  if (foreign !== undefined) return `it has no field ${JSON.stringify(foreign)}`;
  const { permission, pattern, action, scope = "manifest" } = rule;
  if (typeof permission !== "string" || !PERMISSION.test(permission)) {
    return "its permission is a tool, an action of a tool, an MCP address, a capability or `*`";
  }
  const unknown = permissionError(permission);
  if (unknown !== undefined) return unknown;
  if (!ACTIONS.has(action)) return "its action is allow, ask or deny";
  if (!SCOPES.has(scope)) return "its scope is manifest, project or session";
  if (rule.final === true && scope === "session") return "a rule of one session cannot be final";
  if (pattern !== undefined && typeof pattern !== "string") return "its pattern is a text";
  if (rule.when !== undefined && (typeof rule.when !== "string" || rule.when.trim() === ""))
    return "its `when` is an expression, such as `args.amount > 100`";
  return (
    (pattern === undefined ? undefined : targetError(permission, pattern)) ??
    conditionError(rule) ??
    approversError(rule) ??
    labelError(rule)
  );
}

/** A label that held only sometimes, or for something else than reading, would be a gap. */
function labelError(rule: Rule): string | undefined {
  const { label, permission, action, if: conditions = [], when, approvers, final } = rule;
  if (label === undefined) return undefined;
  if (label !== "private" && label !== "untrusted") return "its label is private or untrusted";
  if (final === true) return "a label holds always, so it is not final";
  const isBare = conditions.length === 0 && when === undefined && approvers === undefined;
  const isPlain = permission === "fs.read" && action === "ask" && isBare;
  return isPlain ? undefined : "a label has the permission fs.read, the action ask and no conditions";
}

/** A pattern that can never match the targets of its permission is an error: in a deny it would be a gap. */
function targetError(permission: string, pattern: string): string | undefined {
  if (!permission.includes(".")) return undefined;
  const kind = kindOfTarget(permission);
  return patternError(pattern, kind) ?? misplaced(permission, pattern);
}

function misplaced(permission: string, pattern: string): string | undefined {
  if (kindOfTarget(permission) === "path" && !/^[/*{]|^[A-Za-z]:/.test(pattern)) {
    return "its path is absolute, or begins with `**` or a variable such as {workspace}";
  }
  if (kindOfTarget(permission) === "path" && pattern.includes("//")) return "its path has an empty name";
  if (permission.startsWith("net.") && pattern.includes("/") && pattern !== "**") {
    return "its pattern is about hosts, which have no scheme and no path";
  }
  return undefined;
}

function conditionError({ if: conditions = [] }: Rule): string | undefined {
  if (!Array.isArray(conditions)) return "its conditions are given as a list";
  const unknown = conditions.find((one) => typeof one !== "string" || compileCondition(one) === undefined);
  return unknown === undefined ? undefined : `unknown condition ${JSON.stringify(unknown)}`;
}

/** Hosts in effects are in lower case. */
function hostsInLowerCase(permission: string, pattern: string): string {
  return permission.startsWith("net.") ? pattern.toLowerCase() : pattern;
}

function everywhere(variables: Variables, permission: string): Variables {
  const names = [...STANDARD_VARIABLES, ...Object.keys(variables)];
  const or = (values: readonly string[] = []) =>
    values.length === 0 ? (permission.startsWith("net.") ? ["**"] : EVERYWHERE) : values;
  return Object.fromEntries(names.map((name) => [name, or(variables[name])]));
}

/** As a path, and as anything else. */
const EVERYWHERE = ["/**", "**"];

/** Why an `ask` rule asks that does not say it. */
export const ASKS_ABOUT = "A policy rule asks about this";

const DEFAULT_REASON = { ask: ASKS_ABOUT, deny: "A policy rule denies this" } as const;

function decisionOf(rule: Rule): Decision {
  const base = {
    action: rule.action,
    layer: "rule",
    matchedBy: ruleText(rule),
    ...(rule.at === undefined ? {} : { at: rule.at }),
    ...(rule.because === undefined ? {} : { because: rule.because }),
  } as const;
  if (rule.action === "allow") return Object.freeze(base);
  const place = rule.at === undefined ? "" : ` (${rule.at})`;
  const why = (rule.because ?? DEFAULT_REASON[rule.action]).replace(/\.$/, "");
  const reason = `${why}: \`${base.matchedBy}\`${place}.`;
  if (rule.action === "ask") {
    // A remembered answer would loosen a final ask. A condition is about these arguments and this hour: an answer to
    // it is none for others. Approvers sign for one call.
    const isBound = rule.when !== undefined || rule.approvers !== undefined;
    const isOnce = rule.neverRemember === true || rule.final === true || isBound;
    const never = isOnce ? { neverRemember: true as const } : {};
    const final = rule.final ? { isFinal: true as const } : {};
    const because = rule.because === undefined ? "" : ` because ${JSON.stringify(rule.because)}`;
    const askRules = [`${base.matchedBy}${because}`];
    const needs = rule.approvers === undefined ? {} : { needs: [Object.freeze({ ...rule.approvers })] };
    return Object.freeze({ ...base, reason, askedBy: ["rules"], askRules, ...needs, ...never, ...final });
  }
  const isFinal = (rule.scope ?? "manifest") === "manifest" ? { isFinal: true as const } : {};
  return Object.freeze({ ...base, reason, ...isFinal });
}

function never(rule: Rule, condition: string): never {
  throw invalid(rule, `unknown condition ${JSON.stringify(condition)}`);
}

function invalid(rule: Rule, diagnostic: string): ToolkeepError {
  const place = typeof rule?.at === "string" ? `${rule.at}: ` : "";
  return new ToolkeepError(
    "invalid_rule",
    `${place}The rule ${JSON.stringify(rule)} is refused: ${diagnostic}${diagnostic.endsWith("?") ? "" : "."}`,
  );
}

/** The rules by their patterns. */
export function indexRules(rules: readonly CompiledRule[]): PatternIndex<CompiledRule> {
  return indexPatterns(
    rules.flatMap((entry) =>
      entry.patterns.map((pattern) => ({
        pattern,
        grip: entry.rule.action === "allow" ? ("matches" as const) : ("mayMatch" as const),
        entry,
      })),
    ),
  );
}
