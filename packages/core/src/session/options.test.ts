import { expect, test } from "vitest";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

test("tools that are given as an object are refused with the list to write instead", async () => {
  const { tool: pay } = stubTool("pay");
  const { tool: refund } = stubTool("refund");
  await expect(createSession({ tools: { pay, refund } as never })).rejects.toMatchObject({
    code: "invalid_option",
    message: "The session option `tools` must be a list of tools: `tools: [pay, refund]`.",
  });
});

test("a strategy that is none is refused", async () => {
  for (const strategy of ["seq", { batched: 0 }, 4] as never[])
    await expect(createSession({ tools: [], strategy })).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("`strategy`"),
    });
});
