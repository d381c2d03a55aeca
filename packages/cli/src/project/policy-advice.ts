import { existsSync } from "node:fs";
import type { ApprovalRequest } from "@toolkeep/core";
import { RUNS_OWN_CODE, visible } from "@toolkeep/core/internal";
import { ruleText } from "@toolkeep/core/policy";
import type { Project } from "./read-project.ts";

type Advised = Pick<Project, "root" | "isTrusted" | "policyFile">;

/** What to type so that a call does not ask again: the exact rule and its file, or the command that trusts the project. */
export function policyAdvice(
  { because, exactRules = [] }: Pick<ApprovalRequest, "because" | "exactRules">,
  { root, isTrusted, policyFile }: Advised,
): string {
  const advice = [
    ...(!isTrusted && because?.includes(RUNS_OWN_CODE) === true
      ? [
          `If you trust this project, run \`toolkeep trust --project ${visible(root)}\`: then its tests and builds do not ask.`,
        ]
      : []),
    ...(exactRules.length === 0 ? [] : [rulesAdvice(exactRules.map(ruleText), policyFile)]),
  ];
  return advice.join(" ");
}

/** The rules, and the user's policy file that they belong to, which may not exist yet. */
function rulesAdvice(rules: readonly string[], file: string): string {
  const lines = rules.map((rule) => `\`${visible(rule)}\``).join(" and ");
  const start = existsSync(file)
    ? ""
    : ", a new file that begins with `version: 1` and `extends: [toolkeep:recommended]`";
  return `To allow exactly this, add ${lines} under \`rules:\` in ${visible(file)}${start}.`;
}
