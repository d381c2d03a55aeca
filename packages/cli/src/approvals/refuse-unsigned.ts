import type { ApprovalRequest } from "@toolkeep/core";
import { needsText, visible } from "@toolkeep/core/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** Why an unsigned answer would not count. @throws CommandError */
export function refuseUnsigned({ needs, principal }: ApprovalRequest): void {
  if (needs === undefined) return;
  throw new CommandError(`This call needs ${visible(needsText(needs, principal.user))}.`, {
    exit: EXIT.needsApproval,
    hint: "Run `toolkeep approvals approve ID --sign`.",
  });
}
