import type { Rule } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";

const VERBS: Readonly<Record<string, string>> = {
  "fs.read": "reading files that match",
  "fs.write": "writing files that match",
  "fs.delete": "deleting files that match",
  "fs.*": "reading, writing and deleting files that match",
  "net.fetch": "requests to hosts that match",
};

const ACTIONS: Readonly<Record<Rule["action"], string>> = {
  allow: "It allows",
  ask: "You are asked before",
  deny: "It denies",
};

/** A rule in words. */
export function ruleWords({ action, permission, pattern, if: conditions = [], when }: Rule): string {
  const facts = conditions.length === 0 ? "" : `, if ${conditions.join(" and ")}`;
  const expression = when === undefined ? "" : `, when ${when}`;
  const isOpen = action === "allow" && permission === "shell.run" && pattern?.endsWith(" *") === true;
  const rest = isOpen
    ? " Options that are not known to be harmless still ask, unless the rule names them."
    : "";
  return visible(
    `${ACTIONS[action]} ${what(permission, pattern)}${facts}${expression}, in every project.${rest}`,
  );
}

function what(permission: string, pattern: string | undefined): string {
  if (permission === "shell.run") return command(pattern);
  const verb = VERBS[permission];
  if (verb !== undefined)
    return pattern === undefined ? verb.replace(" that match", "") : `${verb} ${pattern}`;
  if (permission.startsWith("mcp:"))
    return pattern === undefined
      ? `every call of ${permission}, with any arguments`
      : `calls of ${permission} on ${pattern}`;
  const subject = permission === "*" ? "everything that no other rule decides" : permission;
  return pattern === undefined ? `${subject}, with any arguments` : `${subject} on ${pattern}`;
}

function command(pattern: string | undefined): string {
  if (pattern === undefined || pattern === "*") return "every command";
  if (!pattern.endsWith(" *")) return `the command \`${pattern}\`, exactly as written`;
  return `the command \`${pattern.slice(0, -2)}\`, also with further arguments`;
}
