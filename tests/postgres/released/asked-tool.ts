import { type StubTool, stubTool } from "@toolkeep/core/testing";

/**
 * The code of the tool in the dumps, as the function prints itself where nothing transforms it. An approval is bound to
 * it: a call that waited for another tool is not run.
 */
const CODE = `execute(args, ctx) {
      executed.push(args);
      return execute(args, ctx);
    }`;

/** The tool whose call waits in each dump. */
export function askedTool(): StubTool {
  return stubTool("asked", (args) => args, { idempotent: false, codeHash: CODE });
}
