import { expect, test } from "vitest";
import { ToolFailure } from "../contract/call/result.ts";
import type { SessionOptions } from "../session/options.ts";
import type { Session } from "../session/session.ts";
import { runTwice } from "./run-twice.test.kit.ts";
import { scriptedApprover } from "./scripted-approver.ts";
import { stubTool } from "./stub-tool.ts";

function options(): SessionOptions {
  const random = stubTool("random", () => Math.random(), { idempotent: false });
  const failing = stubTool("failing", () => {
    throw new ToolFailure("own", "It does not work.");
  });
  const outer = stubTool("outer", async (_args, ctx) => [
    await ctx.call("random", {}),
    await ctx.call("random", {}),
  ]);
  return {
    tools: [random.tool, failing.tool, outer.tool],
    policy: ["ask random", "allow failing", "allow outer"],
    approver: scriptedApprover("once"),
  };
}

test.each<[string, (session: Session) => Promise<unknown>]>([
  ["by name", (session) => session.call("random", {})],
  ["with an id", (session) => session.call({ id: "1", name: "random", arguments: {} })],
  ["in a turn that was named", (session) => session.call("random", {}, { id: "turn" })],
  ["on behalf of another", (session) => session.call("random", {}, { principal: { user: "ada" } })],
  ["that fails", (session) => session.call("failing", {})],
  ["of a tool that does not exist", (session) => session.call("missing", {})],
  ["that calls others inside", (session) => session.call("outer", {})],
  ["after another", async (session) => [await session.call("random", {}), await session.call("random", {})]],
  ["with others", (session) => Promise.all(["random", "outer"].map((name) => session.call(name, {})))],
  ["of a turn", (session) => session.run([{ id: "1", name: "random", arguments: {} }])],
])("a call %s has the same outcome from its record", async (_how, scenario) => {
  const { outcome, replayed } = await runTwice(options(), scenario);
  expect(replayed).toEqual(outcome);
});
