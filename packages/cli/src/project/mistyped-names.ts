import type { Rule } from "@toolkeep/core";
import { closestName } from "@toolkeep/core/internal";
import { ruleText } from "@toolkeep/core/policy";
import type { Config } from "@toolkeep/node/internal";

/** The tools that this program decides about under their own names. */
const TOOLS = [
  ...["read", "write", "edit", "delete", "glob", "grep", "list", "bash", "bash_start", "bash_output"],
  ...["bash_stop", "web_fetch", "web_search", "question", "skill", "task", "todo"],
];

/** Warnings about rules and settings for tools that are probably mistyped. Tools of servers have names of their own. */
export function mistypedNames(
  rules: readonly Rule[],
  { tools, denied }: Pick<Config, "tools" | "denied">,
): readonly string[] {
  const written = [
    ...rules.map((rule) => ({
      name: rule.permission,
      text: `${rule.at === undefined ? "" : `${rule.at}: `}The rule \`${ruleText(rule)}\``,
    })),
    ...Object.keys(tools).map((name) => ({ name, text: `The setting \`tools.${name}\`` })),
    ...denied.map((name) => ({ name, text: `The entry ${JSON.stringify(name)} of \`denied\`` })),
  ];
  return [...new Set(written.flatMap(({ name, text }) => warningOf(name, text)))];
}

function warningOf(name: string, text: string): readonly string[] {
  if (!/^[A-Za-z_]+$/.test(name) || TOOLS.includes(name)) return [];
  const near = closestName(name, TOOLS);
  return near === undefined ? [] : [`${text} names no tool. Did you mean \`${near}\`?`];
}
