import { ToolkeepError } from "../contract/error.ts";
import type { Variables } from "../contract/requirements.ts";
import type { Action, Rule, RuleScope } from "../contract/rule.ts";
import { compileCondition, type Holds } from "./conditions.ts";
import { expandVariables } from "./expand-variables.ts";
import { literalLength } from "./patterns/literal-length.ts";
import { patternFault } from "./patterns/pattern-fault.ts";
import { kindOfTarget } from "./patterns/target-kind.ts";

/** A rule that was checked, with what is needed to hold it against others. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly scope: RuleScope;
  /** As a person would write it. */
  readonly words: string;
  /** One for each value of the variables in its pattern; a variable without a value matches nothing. */
  readonly patterns: readonly string[];
  readonly literal: number;
  readonly conditions: readonly Holds[];
}

const ACTIONS: ReadonlySet<string> = new Set<Action>(["allow", "ask", "deny"]);
const SCOPES: ReadonlySet<string> = new Set<RuleScope>(["manifest", "project", "session"]);
const FIELDS = new Set(["permission", "pattern", "action", "scope", "if", "neverRemember", "because", "at"]);
const PERMISSION = /^[\w.:*@/-]{1,200}$/;

/** @throws ToolkeepError `invalid_rule`. */
export function compileRule(rule: Rule, variables: Variables): CompiledRule {
  const fault = faultOf(rule);
  if (fault !== undefined) throw invalid(rule, fault);
  const pattern = rule.pattern ?? "**";
  return {
    rule,
    scope: rule.scope ?? "manifest",
    words: wordsOf(rule),
    patterns: expandVariables(pattern, variables, (name) =>
      invalid(rule, `nobody knows the variable {${name}}`),
    ),
    literal: literalLength(pattern),
    conditions: (rule.if ?? []).map((condition) => compileCondition(condition) ?? never(rule, condition)),
  };
}

/** The rule in one line, as in a policy file. */
export function wordsOf({ action, permission, pattern, if: conditions = [], neverRemember }: Rule): string {
  return [
    `${action} ${permission}`,
    ...(pattern === undefined ? [] : [JSON.stringify(pattern)]),
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(" and ")}`]),
    ...(neverRemember ? ["never-remember"] : []),
  ].join(" ");
}

function faultOf(rule: Rule): string | undefined {
  if (typeof rule !== "object" || rule === null) return "a rule is an object";
  const foreign = Object.keys(rule).find((key) => !FIELDS.has(key));
  if (foreign !== undefined) return `it has no field ${JSON.stringify(foreign)}`;
  const { permission, pattern, action, scope = "manifest" } = rule;
  if (typeof permission !== "string" || !PERMISSION.test(permission)) {
    return "its permission is a tool, an action of a tool, an MCP address, a capability or `*`";
  }
  if (!ACTIONS.has(action)) return "its action is allow, ask or deny";
  if (!SCOPES.has(scope)) return "its scope is manifest, project or session";
  if (pattern !== undefined && typeof pattern !== "string") return "its pattern is a text";
  if (pattern !== undefined && permission.includes(".")) {
    const fault = patternFault(pattern, kindOfTarget(permission));
    if (fault !== undefined) return fault;
  }
  return conditionFault(rule);
}

function conditionFault({ if: conditions = [] }: Rule): string | undefined {
  if (!Array.isArray(conditions)) return "its conditions are given as a list";
  const unknown = conditions.find((one) => typeof one !== "string" || compileCondition(one) === undefined);
  return unknown === undefined ? undefined : `nobody knows the condition ${JSON.stringify(unknown)}`;
}

function never(rule: Rule, condition: string): never {
  throw invalid(rule, `nobody knows the condition ${JSON.stringify(condition)}`);
}

function invalid(rule: Rule, problem: string): ToolkeepError {
  const place = typeof rule?.at === "string" ? `${rule.at}: ` : "";
  return new ToolkeepError(
    "invalid_rule",
    `${place}The rule ${JSON.stringify(rule)} is refused: ${problem}.`,
  );
}
