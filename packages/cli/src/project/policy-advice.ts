import { existsSync } from "node:fs";
import type { ApprovalRequest, Rule } from "@toolkeep/core";
import { RUNS_OWN_CODE, visible } from "@toolkeep/core/internal";
import { ruleText } from "@toolkeep/core/policy";
import type { Project } from "./read-project.ts";

type Question = Pick<ApprovalRequest, "because" | "exactRules"> &
  Partial<Pick<ApprovalRequest, "suggestions">>;
type Advised = Pick<Project, "root" | "isTrusted" | "policyFile">;

/** What to type so that a call does not ask again: the exact rule and its file, or the command that trusts the project. */
export function policyAdvice(
  { because, exactRules = [], suggestions = [] }: Question,
  { root, isTrusted, policyFile }: Advised,
): string {
  const ofTool = suggestions.filter(
    ({ permission, pattern }) => permission.startsWith("mcp:") && pattern === undefined,
  );
  const advice = [
    ...(!isTrusted && because?.includes(RUNS_OWN_CODE) === true
      ? [
          `If you trust this project, run \`toolkeep trust --project ${visible(root)}\`: then its tests and builds do not ask.`,
        ]
      : []),
    ...(exactRules.length === 0 ? [] : [`To allow exactly this, ${added(exactRules, policyFile)}`]),
    ...(ofTool.length === 0 ? [] : [`To allow this tool with any arguments, ${added(ofTool, policyFile)}`]),
  ];
  return advice.join(" ");
}

/** The rules, and the user's policy file that they belong to, which may not exist yet. */
function added(rules: readonly Rule[], file: string): string {
  const lines = rules.map((rule) => `\`${visible(ruleText(rule))}\``).join(" and ");
  const start = existsSync(file)
    ? ""
    : ", a new file that begins with `version: 1` and `extends: [toolkeep:recommended]`";
  return `add ${lines} under \`rules:\` in ${visible(file)}${start}.`;
}
