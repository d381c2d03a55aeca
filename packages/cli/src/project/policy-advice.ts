import type { ApprovalRequest, Rule } from "@toolkeep/core";
import { joinCommand, RUNS_OWN_CODE, readingRule, ruleText, visible } from "@toolkeep/core/internal";
import type { Project } from "./read-project.ts";
import { ruleLine } from "./rule-line.ts";

type Question = Pick<ApprovalRequest, "because" | "exactRules" | "rules"> &
  Partial<Pick<ApprovalRequest, "suggestions">>;
type Advised = Pick<Project, "root" | "isTrusted">;

/**
 * What to type so that a call does not ask again: the command that adds the exact rule, or that trusts the project. For
 * a command that only looks at something, and that no rule asks about, it is the rule on all of its kind.
 */
export function policyAdvice(
  { because, exactRules = [], suggestions = [], rules: askRules }: Question,
  { root, isTrusted }: Advised,
): string {
  const ofTool = suggestions.filter(
    ({ permission, pattern }) => permission.startsWith("mcp:") && pattern === undefined,
  );
  const reading = askRules === undefined ? exactRules.map((rule) => readingRule(rule) ?? rule) : exactRules;
  const what = reading.some((rule, index) => rule !== exactRules[index]) ? "such reads" : "exactly this";
  const advice = [
    ...(!isTrusted && because?.includes(RUNS_OWN_CODE) === true
      ? [
          `If you trust this project, run \`toolkeep trust --project ${visible(root)}\`: then its tests and builds do not ask.`,
        ]
      : []),
    ...(exactRules.length === 0 ? [] : [`To allow ${what}, run ${allowCommands(distinct(reading))}.`]),
    ...(ofTool.length === 0 ? [] : [`To allow this tool with any arguments, run ${allowCommands(ofTool)}.`]),
  ];
  return advice.join(" ");
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [ruleText(rule), rule])).values()];
}

/** The commands that add the rules to the user's policy, after they have shown what these cover. */
export function allowCommands(rules: readonly Rule[]): string {
  return `\`${rules.map(allowCommand).join(" && ")}\``;
}

/** The command that adds one rule. */
export function allowCommand(rule: Rule): string {
  return `toolkeep allow ${visible(joinCommand([typedRule(rule)]))}`;
}

/** The rule as it is typed: a command or a permission with its pattern, where that says all of it. */
function typedRule(rule: Rule): string {
  const { permission, pattern = "" } = rule;
  const short = permission === "shell.run" ? pattern : `${permission} ${pattern}`.trim();
  try {
    return ruleLine(short) === ruleText(rule) ? short : ruleText(rule);
  } catch {
    return ruleText(rule);
  }
}
