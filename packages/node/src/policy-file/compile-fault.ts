import type { Rule } from "@toolkeep/core";
import { ruleFault } from "@toolkeep/core/policy";
import { isAboutPaths } from "./rule-pattern.ts";

/** Why core refuses a rule, or `undefined`. */
export function compileFault(rule: Rule): string | undefined {
  return ruleFault(rule) ?? (rule.pattern === undefined ? undefined : ruleFault(onWhatItDoes(rule)));
}

/** Core checks patterns by capability; what a tool does tells which one its patterns are for. */
function onWhatItDoes(rule: Rule): Rule {
  if (isAboutPaths(rule.permission)) return { ...rule, permission: "fs.read" };
  return /^bash(?:$|\.)/.test(rule.permission) ? { ...rule, permission: "shell.run" } : rule;
}
