import { homedir } from "node:os";
import type { Rule } from "@toolkeep/core";
import { joinCommand, ruleText } from "@toolkeep/core/internal";
import { parseRule } from "@toolkeep/core/policy";
import { type CommandError, usageError } from "../terminal/command-error.ts";

/** The first word of a rule on what a call does. Any other first word is the name of a program. */
const PERMISSION = /^(?:(?:fs|net|shell|git|package|memory|github|browser)\.(?:[a-z_]+|\*)|mcp:\S+)$/;

type Action = Rule["action"];

/**
 * The rule that a user typed, as a line of a policy file: a command (`npm test *`), a permission with a pattern
 * (`fs.write src/**`), or a whole rule (`allow fs.write "src/**" if trusted`).
 * @throws CommandError for what is none of these, and for a rule with another action.
 */
export function ruleLine(typed: string, action: Action = "allow"): string {
  const text = typed.trim();
  if (text === "" || /\p{Cc}/u.test(text)) throw invalid(typed, action, "A rule is one line of text.");
  const [first = "", ...rest] = text.split(/\s+/);
  const isWhole = first === "allow" || first === "ask" || first === "deny";
  if (isWhole && rest.length > 0 && first !== action)
    throw usageError(
      `This command adds rules that start with \`${action}\`, not with \`${first}\`.`,
      `Run \`${joinCommand(["toolkeep", first, ruleLine(text, first)])}\`.`,
    );
  // An entry as Claude Code spells it is a rule too; it allows.
  const isEntry = action === "allow" && /^[A-Z]\w*(?:\(|$)/.test(first);
  const line = (isWhole && rest.length > 0) || isEntry ? text : lineOf(first, rest.join(" "), action);
  const { diagnostic } = parseRule(line, { home: homedir() });
  if (diagnostic === undefined) return line;
  throw invalid(typed, action, [diagnostic.message, diagnostic.hint ?? ""].join(" ").trim());
}

function lineOf(first: string, rest: string, action: Action): string {
  if (!PERMISSION.test(first))
    return ruleText({ action, permission: "shell.run", pattern: `${first} ${rest}`.trim() });
  if (rest === "") return `${action} ${first}`;
  // A pattern that is quoted already stays as it is.
  return /^".*"/.test(rest)
    ? `${action} ${first} ${rest}`
    : ruleText({ action, permission: first, pattern: rest });
}

function invalid(typed: string, action: Action, reason: string): CommandError {
  return usageError(
    `${JSON.stringify(typed)} is not a rule that can be added. ${reason}`,
    `Examples: toolkeep ${action} 'npm test *', toolkeep ${action} 'fs.write docs/**', toolkeep ${action} 'mcp:github:get_*'`,
  );
}
