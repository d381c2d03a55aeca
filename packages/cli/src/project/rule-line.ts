import { homedir } from "node:os";
import { parseRule, ruleText } from "@toolkeep/core/policy";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** The first word of a rule on what a call does. Any other first word is the name of a program. */
const PERMISSION = /^(?:(?:fs|net|shell|git|package|memory|github|browser)\.(?:[a-z_]+|\*)|mcp:\S+)$/;

/**
 * The rule that a user typed, as a line of a policy file: a command (`npm test *`), a permission with a pattern
 * (`fs.write src/**`), or a whole rule (`allow fs.write "src/**" if trusted`).
 * @throws CommandError for what is none of these, and for a rule that does not allow.
 */
export function ruleLine(typed: string): string {
  const text = typed.trim();
  if (text === "" || /\p{Cc}/u.test(text)) throw invalid(typed, "A rule is one line of text.");
  const [first = "", ...rest] = text.split(/\s+/);
  if (first === "deny" || first === "ask")
    throw invalid(typed, `\`toolkeep allow\` adds no rules that ${first}: write them into the policy file.`);
  // An entry as Claude Code spells it is a rule too.
  if ((first === "allow" && rest.length > 0) || /^[A-Z]\w*(?:\(|$)/.test(first)) return checked(text, typed);
  const pattern = rest.join(" ");
  if (PERMISSION.test(first))
    return checked(pattern === "" ? `allow ${first}` : lineOf(first, pattern), typed);
  return checked(lineOf("shell.run", text), typed);
}

/** A pattern that is quoted already stays as it is. */
function lineOf(permission: string, pattern: string): string {
  if (/^".*"/.test(pattern)) return `allow ${permission} ${pattern}`;
  return ruleText({ permission, pattern, action: "allow" });
}

function checked(line: string, typed: string): string {
  const { diagnostic } = parseRule(line, { home: homedir() });
  if (diagnostic === undefined) return line;
  throw invalid(typed, [diagnostic.message, diagnostic.hint ?? ""].join(" ").trim());
}

function invalid(typed: string, reason: string): CommandError {
  return new CommandError(`${JSON.stringify(typed)} is not a rule that can be added. ${reason}`, {
    exit: EXIT.usage,
    hint: "Examples: toolkeep allow 'npm test *', toolkeep allow 'fs.write docs/**', toolkeep allow 'allow mcp:github:get_*'",
  });
}
