import type { Approver } from "../contract/approval.ts";
import type { Rule } from "../contract/rule.ts";

/** What runs code, deletes, commits or pushes among the manager tools: it asks, whatever else is allowed. */
export const DANGEROUS_ACTIONS: readonly Rule[] = Object.freeze(
  ["bash_manager", "code_exec", "file_manager.delete", "git_manager.commit", "git_manager.push"].map(
    (permission) =>
      Object.freeze({
        permission,
        action: "ask",
        neverRemember: true,
        because: "A dangerous action",
      } as const),
  ),
);

/** An approver made of a function that is told the tool (with its action) and the parameters, and says yes or no. */
export function approverFromCallback(
  onApprovalRequired: (
    name: string,
    parameters: Readonly<Record<string, unknown>>,
  ) => boolean | Promise<boolean>,
): Approver {
  return {
    async approve({ toolName, arguments: args }) {
      const parameters = (args ?? {}) as Readonly<Record<string, unknown>>;
      const isApproved = await onApprovalRequired(toolName, parameters);
      return isApproved === true
        ? { verdict: "once", by: "callback" }
        : { verdict: "reject", words: "Denied by the approval callback.", by: "callback" };
    },
  };
}
