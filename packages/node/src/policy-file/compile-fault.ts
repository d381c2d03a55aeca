import { type Rule, ToolkeepError } from "@toolkeep/core";
import { compilePolicy } from "@toolkeep/core/policy";
import { isAboutPaths } from "./rule-pattern.ts";

/** Why core refuses a rule, or `undefined`. */
export function compileFault(rule: Rule): string | undefined {
  return refusal(rule) ?? (rule.pattern === undefined ? undefined : refusal(onWhatItDoes(rule)));
}

function refusal(rule: Rule): string | undefined {
  try {
    compilePolicy({ rules: [rule], watchdogs: [], variables: {} });
    return undefined;
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) return "it cannot be compiled";
    return /is refused: (.*)\.$/s.exec(error.message)?.[1] ?? error.message;
  }
}

/** Core checks patterns by capability; what a tool does tells which one its patterns are for. */
function onWhatItDoes(rule: Rule): Rule {
  if (isAboutPaths(rule.permission)) return { ...rule, permission: "fs.read" };
  return /^bash(?:$|\.)/.test(rule.permission) ? { ...rule, permission: "shell.run" } : rule;
}
