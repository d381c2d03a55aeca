import { capabilitiesOf } from "../contract/call/effect.ts";
import type { PolicyDefinition } from "../contract/policy/decision.ts";
import type { PolicyTool } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import { readRules } from "../policy/grammar/parse-rule.ts";
import { compileGlob } from "../policy/patterns/compile-glob.ts";
import { mcpAddress } from "../policy/rules/called-action.ts";
import { partsOf } from "./parent-context.ts";
import type { BaseSession } from "./session.ts";
import { sessionRecord } from "./session-record.ts";

/** The tools of a session of which its rules, and those of its parents, do not deny every call. */
export function usableTools(session: BaseSession): readonly RegisteredTool[] {
  return usableUnder(partsOf(session.childContext("tools", {})).policies, sessionRecord(session).tools());
}

/** The names of the variables that the tools of a session, and of its children, may use. */
export function variableNames(session: Pick<BaseSession, "childContext">): readonly string[] {
  return Object.keys(partsOf(session.childContext("tools", {})).scope.variables);
}

/**
 * The tools that can be used under all of these policies: those of which the rules deny every call are left out. It is
 * for what a model is shown. What is left may still be denied: by a rule on some calls, a watchdog or an authorizer.
 */
export function usableUnder<T extends PolicyTool>(
  policies: readonly PolicyDefinition[],
  tools: readonly T[],
): readonly T[] {
  const all = policies.map(({ rules = [] }) => readRules(rules));
  return tools.filter((tool) => all.every((rules) => isUsable(tool, rules)));
}

function isUsable(tool: PolicyTool, rules: readonly Rule[]): boolean {
  const capabilities = capabilitiesOf(tool.tool.requires);
  if (isDenied([tool.name, mcpAddress(tool) ?? tool.name], rules)) return false;
  // Whatever else a command line needs, it runs a command.
  const runs = tool.tool.mode === "local" && capabilities.includes("shell.run");
  const needed = runs ? ["shell.run"] : capabilities;
  return needed.length === 0 || !needed.every((one) => isDenied([one], rules));
}

/** Whether a deny has no exception: a rule of another scope may override it, and any rule one on `*`. */
function isDenied(names: readonly string[], rules: readonly Rule[]): boolean {
  const naming = rules.filter((rule) => matches(rule, names));
  const loosening = naming.filter(({ action }) => action !== "deny");
  return naming.some(
    (deny) =>
      deny.action === "deny" &&
      isUnconditional(deny) &&
      loosening.every(({ scope }) => deny.permission !== "*" && scope === deny.scope),
  );
}

/** A `*` alone is one segment of a path. */
function isUnconditional({ pattern, if: conditions = [], when }: Rule): boolean {
  return (pattern === undefined || pattern === "**") && conditions.length === 0 && when === undefined;
}

function matches({ permission }: Rule, names: readonly string[]): boolean {
  if (permission === "*") return true;
  if (!permission.includes("*")) return names.includes(permission);
  const pattern = compileGlob(permission);
  return names.some((name) => pattern.matches(name, "text"));
}
