import type { ApprovalRequest, Rule } from "@toolkeep/core";
import { joinCommand, RUNS_OWN_CODE, ruleText, unlessThrown, visible } from "@toolkeep/core/internal";
import type { Project } from "./read-project.ts";
import { ruleLine } from "./rule-line.ts";

type Question = Pick<ApprovalRequest, "because" | "exactRules"> &
  Partial<Pick<ApprovalRequest, "suggestions">>;

/** What a user types so that a call does not ask again; an agent that reads it must know that it is not for agents. */
export function policyAdvice(
  { because, exactRules = [], suggestions = [] }: Question,
  { root, isTrusted }: Pick<Project, "root" | "isTrusted">,
  reader: "user" | "agent" = "user",
): string {
  const run = reader === "user" ? "run" : "the user can run";
  const ofTool = suggestions.filter(
    ({ permission, pattern }) => permission.startsWith("mcp:") && pattern === undefined,
  );
  const advice = [
    ...(!isTrusted && because?.includes(RUNS_OWN_CODE) === true
      ? [
          `${reader === "user" ? "If you trust" : "To trust"} this project, ${run} \`toolkeep trust --project ${visible(root)}\`: then its tests and builds do not ask.`,
        ]
      : []),
    ...(exactRules.length === 0
      ? []
      : [`${whatIsAllowed(exactRules)}, ${run} ${allowCommands(exactRules)}.`]),
    ...(ofTool.length === 0
      ? []
      : [`To allow this tool with any arguments, ${run} ${allowCommands(ofTool)}.`]),
  ];
  return advice.join(" ");
}

/** Rules on files, packages and the like allow every call that does the same to them. */
function whatIsAllowed(rules: readonly Rule[]): string {
  return rules.every(({ permission }) => permission === "shell.run")
    ? "To allow exactly this"
    : "To allow this and whatever else does the same";
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
  return unlessThrown(() => (ruleLine(short) === ruleText(rule) ? short : ruleText(rule))) ?? ruleText(rule);
}
