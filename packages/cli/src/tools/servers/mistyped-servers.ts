import type { Rule } from "@toolkeep/core";
import { closestName, ruleText } from "@toolkeep/core/internal";
import { readProject } from "../../project/read-project.ts";
import { CommandError } from "../../terminal/command-error.ts";

/** Notes about rules that name a server almost as one is called. Such a rule matches nothing. */
export async function mistypedServers(project: string, names: readonly string[]): Promise<readonly string[]> {
  try {
    const { policy } = await readProject({ cwd: project, folder: project });
    return (policy.rules ?? []).flatMap((rule) => noteOf(rule, names));
  } catch (error) {
    // The gateway says what is wrong with the policy.
    if (error instanceof CommandError) return [];
    throw error;
  }
}

function noteOf(rule: Rule | string, names: readonly string[]): readonly string[] {
  if (typeof rule === "string") return [];
  const [, server = ""] = /^mcp:([^:*]+):/.exec(rule.permission) ?? [];
  const meant = server === "" || names.includes(server) ? undefined : closestName(server, names);
  if (meant === undefined) return [];
  return [
    `${rule.at ?? "The policy"}: the rule \`${ruleText(rule)}\` names a server ${JSON.stringify(server)} that is not configured here. Did you mean ${JSON.stringify(meant)}?`,
  ];
}
