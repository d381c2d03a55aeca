import type { Decision } from "../contract/decision.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Variables } from "../contract/requirements.ts";
import type { Action, Rule, RuleScope } from "../contract/rule.ts";
import { compileCondition, type Holds } from "./conditions.ts";
import { expandVariables } from "./expand-variables.ts";
import { permissionError } from "./known-permissions.ts";
import { kindOfTarget } from "./patterns/compile-glob.ts";
import { literalLength, patternError } from "./patterns/pattern-error.ts";

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
  /** The decision if this rule decides. */
  readonly decision: Decision;
}

const ACTIONS: ReadonlySet<string> = new Set<Action>(["allow", "ask", "deny"]);
const SCOPES: ReadonlySet<string> = new Set<RuleScope>(["manifest", "project", "session"]);
const FIELDS = new Set([
  "permission",
  "pattern",
  "action",
  "scope",
  "if",
  "neverRemember",
  "yieldsToDeny",
  "because",
  "at",
]);
const PERMISSION = /^[\w.:*@/-]{1,200}$/;

/** @throws ToolkeepError `invalid_rule`. */
export function compileRule(given: Rule, variables: Variables): CompiledRule {
  const error = ruleError(given);
  if (error !== undefined) throw invalid(given, error);
  // A copy: the caller may change its object later.
  const rule = Object.freeze({
    ...given,
    ...(given.if === undefined ? {} : { if: Object.freeze([...given.if]) }),
  });
  const pattern = rule.pattern ?? "**";
  return {
    rule,
    scope: rule.scope ?? "manifest",
    words: ruleText(rule),
    decision: decisionOf(rule),
    // Without a value, an allow allows nothing; an ask or a deny must not become void, so it matches everywhere.
    patterns: expandVariables(pattern, rule.action === "allow" ? variables : everywhere(variables), (name) =>
      invalid(rule, `unknown variable {${name}}`),
    ),
    literal: literalLength(pattern),
    conditions: (rule.if ?? []).map((condition) => compileCondition(condition) ?? never(rule, condition)),
  };
}

/** The rule in one line, as in a policy file. */
export function ruleText({ action, permission, pattern, if: conditions = [], neverRemember }: Rule): string {
  return [
    `${action} ${permission}`,
    ...(pattern === undefined ? [] : [JSON.stringify(pattern)]),
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(" and ")}`]),
    ...(neverRemember ? ["never-remember"] : []),
  ].join(" ");
}

/** Why a rule is invalid, or `undefined`. Its variables are checked when it is compiled. */
export function ruleError(rule: Rule): string | undefined {
  if (typeof rule !== "object" || rule === null) return "a rule is an object";
  const foreign = Object.keys(rule).find((key) => !FIELDS.has(key));
  if (foreign !== undefined) return `it has no field ${JSON.stringify(foreign)}`;
  const { permission, pattern, action, scope = "manifest" } = rule;
  if (typeof permission !== "string" || !PERMISSION.test(permission)) {
    return "its permission is a tool, an action of a tool, an MCP address, a capability or `*`";
  }
  const unknown = permissionError(permission);
  if (unknown !== undefined) return unknown;
  if (!ACTIONS.has(action)) return "its action is allow, ask or deny";
  if (!SCOPES.has(scope)) return "its scope is manifest, project or session";
  if (pattern !== undefined && typeof pattern !== "string") return "its pattern is a text";
  return (pattern === undefined ? undefined : targetError(permission, pattern)) ?? conditionError(rule);
}

/** A pattern that can never match the targets of its permission is an error: in a deny it would be a gap. */
function targetError(permission: string, pattern: string): string | undefined {
  if (!permission.includes(".")) return undefined;
  const kind = kindOfTarget(permission);
  const error = patternError(pattern, kind);
  if (error !== undefined) return error;
  if (kind === "path" && !/^[/*{]|^[A-Za-z]:/.test(pattern)) {
    return "its path is absolute, or begins with `**` or a variable such as {workspace}";
  }
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

function everywhere(variables: Variables): Variables {
  const or = (values: readonly string[] = []) => (values.length === 0 ? ["/**"] : values);
  const { workspace, "ad-hoc": adHoc, "user-data": userData, tmp } = variables;
  return { workspace: or(workspace), "ad-hoc": or(adHoc), "user-data": or(userData), tmp: or(tmp) };
}

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
    const never = rule.neverRemember ? { neverRemember: true as const } : {};
    return Object.freeze({ ...base, reason, askedBy: ["rules"], ...never });
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
