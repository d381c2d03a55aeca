import type { Rule } from "@toolkeep/core";
import { CommandError, EXIT } from "../terminal/command-error.ts";

const TOOL = /^[A-Za-z0-9_-]{1,128}$/;
/** The server is named; of its tools there may be a pattern. */
const ADDRESS = /^mcp:[A-Za-z0-9_-]+:[^\s:]+$/;

/**
 * What `--allow` grants where nobody can be asked: single tools, or tools of one server. What the policy denies
 * stays denied.
 * @throws CommandFault for a pattern that means everything, or that names no tool.
 */
export function headlessGrants(patterns: readonly string[]): readonly Rule[] {
  return patterns.map((permission) => {
    if (TOOL.test(permission) || ADDRESS.test(permission)) {
      const at = `--allow ${permission}`;
      return { permission, action: "allow", scope: "session", yieldsToDeny: true, at };
    }
    const isAll = /^[*?:]+$/.test(permission.replace(/^mcp/, ""));
    const what = isAll ? "means everything, which is not granted" : "is neither a tool nor mcp:server:tool";
    throw new CommandError(`--allow ${JSON.stringify(permission)} ${what}.`, {
      exit: EXIT.usage,
      hint: "Name the tools, e.g. --allow mcp:github:get_issue --allow 'mcp:docs:*'.",
    });
  });
}
