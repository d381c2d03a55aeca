import type { Rule } from "@toolkeep/core";
import { ruleError } from "@toolkeep/core/policy";
import { isAboutPaths } from "./rule-pattern.ts";

/** Why core refuses a rule, or `undefined`. */
export function compileError(rule: Rule): string | undefined {
  return ruleError(rule) ?? (rule.pattern === undefined ? undefined : ruleError(onWhatItDoes(rule)));
}

/** Core checks patterns by capability; what a tool does tells which one its patterns are for. */
function onWhatItDoes(rule: Rule): Rule {
  if (isAboutPaths(rule.permission)) return { ...rule, permission: "fs.read" };
  return /^bash(?:$|\.)/.test(rule.permission) ? { ...rule, permission: "shell.run" } : rule;
}
