import { stubTool } from "@toolkeep/core/testing";

/** The same in every process: an approval counts for one definition. */
export const { tool: riskyTool } = stubTool("risky", (args) => args, { idempotent: false });

export const ASK_FOR_RISKY = [{ permission: "risky", action: "ask" }] as const;
