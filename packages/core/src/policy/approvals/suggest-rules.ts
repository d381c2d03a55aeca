import { commandPrefix } from "../../commands/options/command-prefix.ts";
import { type Effect, joinCommand, splitCommand, type Variables } from "../../contract/call/effect.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileGlob, kindOfTarget } from "../patterns/compile-glob.ts";
import { patternError } from "../patterns/pattern-error.ts";
import { mcpAddress } from "../rules/called-action.ts";
import { expandVariables } from "../rules/expand-variables.ts";

const MOST = 5;
/** Names of servers are foreign input: one that would be a pattern is not put into a rule. */
const MCP_ADDRESS = /^mcp:[\w.@/-]+:[\w.@/-]+$/;

/** Wider rules that would cover this call: the kind of command, the folder, the host. None without a natural one. */
export function suggestRules(call: PolicyCall, variables: Variables): readonly Rule[] {
  // A line that is not plain asks whatever its commands are: no wider rule would help.
  if (call.effects.some(({ capability }) => capability === "shell.dynamic")) return [];
  const rules = call.effects.flatMap((effect) => {
    const pattern = widened(effect, variables);
    return pattern === undefined || !covers(pattern, effect, variables)
      ? []
      : [{ permission: effect.capability, pattern, action: "allow", scope: "session" } as const];
  });
  const permission = mcpAddress(call.found);
  if (permission !== undefined && MCP_ADDRESS.test(permission)) {
    return [{ permission, action: "allow", scope: "session" }];
  }
  const distinct = [...new Map(rules.map((rule) => [`${rule.permission} ${rule.pattern}`, rule])).values()];
  return distinct.slice(0, MOST);
}

/** A suggestion must allow this call: `git log *` does not cover `--output`. */
function covers(pattern: string, { capability, target }: Effect, variables: Variables): boolean {
  const patterns = expandVariables(pattern, variables, (name) => new Error(name));
  return patterns.some((one) => compileGlob(one).matches(target, kindOfTarget(capability)));
}

function widened({ capability, target, forced }: Effect, variables: Variables): string | undefined {
  if (forced || /[*?{]/.test(target)) return undefined;
  if (capability === "shell.run") return ofCommand(target);
  if (capability === "net.fetch") return target;
  if (capability.startsWith("fs.")) return ofFolder(target, variables);
  return undefined;
}

function ofCommand(target: string): string | undefined {
  const prefix = commandPrefix(splitCommand(target));
  return prefix === undefined ? undefined : `${joinCommand(prefix)} *`;
}

/** The folder it lies in, where that is inside the workspace and not the whole of it. */
function ofFolder(target: string, { workspace = [] }: Variables): string | undefined {
  const folder = target.slice(0, target.lastIndexOf("/"));
  const root = workspace.find((one) => folder.startsWith(`${one}/`));
  if (root === undefined) return undefined;
  const pattern = `{workspace}${folder.slice(root.length)}/**`;
  // A folder whose name has characters that mean something in a pattern is not put into one.
  return patternError(pattern, "path") === undefined ? pattern : undefined;
}
