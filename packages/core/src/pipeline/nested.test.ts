import { describe, expect, test } from "vitest";
import { ALLOW, call, once } from "../../../../tests/scenario.ts";
import { fsWrite } from "../contract/call/effect.ts";
import { stubTool } from "../testing/stub-tool.ts";

describe("calls inside calls", () => {
  test("a nested call is governed like any other, and does not wait for its caller's locks", async () => {
    const inner = stubTool("inner", (args) => args["path"], {
      requires: { fs: { write: ["/repo/**"] } },
      effects: (args) => [fsWrite(String(args["path"]))],
    });
    const outer = stubTool(
      "outer",
      async (_args, ctx) => {
        const fine = await ctx.call("inner", { path: "/repo/a" });
        const refused = await ctx.call("inner", { path: "/etc/a" });
        return [fine.data, refused.failure?.code];
      },
      { requires: { fs: { write: ["/repo/**"] } }, effects: () => [fsWrite("/repo/a")] },
    );
    const { outcome, events } = await once({ tools: [inner.tool, outer.tool], policy: ALLOW }, call("outer"));
    expect(outcome.data).toEqual(["/repo/a", "out_of_scope"]);
    expect(events.flatMap((event) => ("callId" in event ? [`${event.type} ${event.callId}`] : []))).toEqual([
      "call-start c1",
      "call-start c1/1",
      "call-end c1/1",
      "call-refuse c1/2",
      "call-end c1",
    ]);
  });
});
