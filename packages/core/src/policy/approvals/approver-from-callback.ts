import type { Approver } from "../../contract/approval.ts";

/** An approver made of a function that is told the tool and the parameters, and says yes or no. */
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
