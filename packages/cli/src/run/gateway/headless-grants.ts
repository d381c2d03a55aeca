import type { Rule } from "@toolkeep/core";
import { usageError } from "../../terminal/command-error.ts";

const TOOL = /^[A-Za-z0-9_-]{1,128}$/;
/** The name of a server, then a tool or a pattern. */
const ADDRESS = /^mcp:[A-Za-z0-9_-]+:[^\s:]+$/;

/**
 * The rules of `--allow` for gateways without an approver: single tools, or tools of one server. A deny rule of the
 * policy overrides them.
 * @throws CommandError for a pattern that matches every server, or that names no tool.
 */
export function headlessGrants(patterns: readonly string[]): readonly Rule[] {
  return patterns.map((permission) => {
    if (TOOL.test(permission) || ADDRESS.test(permission)) {
      const at = `--allow ${permission}`;
      return { permission, action: "allow", scope: "session", yieldsToDeny: true, at };
    }
    const isAll = /^[*?:]+$/.test(permission.replace(/^mcp/, ""));
    const what = isAll
      ? "matches every tool, which is not allowed"
      : "is neither the name of a tool nor mcp:server:tool";
    throw usageError(
      `--allow ${JSON.stringify(permission)} ${what}.`,
      "Name the tools, e.g. --allow mcp:github:get_issue --allow 'mcp:docs:*'.",
    );
  });
}
