import { expect, test } from "vitest";
import { effect, netFetch } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const search = stubTool("search_web", () => "a page", {
  requires: { net: { hosts: ["*"] } },
  effects: () => [netFetch("example.com")],
}).tool;
const orders = stubTool("lookup_order", () => ({ total: 40 }), {
  requires: { capabilities: ["shop.read"] },
  effects: () => [effect("shop.read", "order")],
  labels: ["private"],
}).tool;
const email = stubTool("send_email", () => "sent", {
  requires: { capabilities: ["email.send"] },
  effects: () => [effect("email.send", "*")],
}).tool;
const policy = ["allow net.fetch *", "allow shop.read *", "allow email.send *"];
const call = (name: string, id = name) => ({ id, name, arguments: {} });

test("a tool that is declared private marks the session, so that the rule of two asks", async () => {
  const approver = scriptedApprover("reject");
  await using session = await createSession({ tools: [search, orders, email], policy, approver });
  expect((await session.call("send_email", {})).ok).toBe(true);
  expect((await session.call("search_web", {})).ok).toBe(true);
  const looked = await session.call("lookup_order", {});
  expect(looked).toMatchObject({ ok: true, labels: ["untrusted", "private"] });
  expect((await session.call("send_email", {})).ok).toBe(false);
  expect(approver.requests).toMatchObject([{ toolName: "send_email", askedBy: ["rule-of-two"] }]);
  const recorded = await Array.fromAsync(session.journal.read({ types: ["call-end", "session-taint"] }));
  expect(JSON.stringify(recorded)).toContain('"labels":["untrusted","private"]');
});

test("the calls of one turn are decided with what the ones before them will read", async () => {
  const approver = scriptedApprover("reject");
  await using session = await createSession({ tools: [search, orders, email], policy, approver });
  const { results } = await session.run([call("search_web"), call("lookup_order"), call("send_email")]);
  expect(results.map((result) => result?.ok)).toEqual([true, true, false]);
});

test("a label that does not exist is refused", () => {
  const spec = {
    name: "x",
    description: "x",
    inputSchema: { type: "object" },
    requires: {},
    execute: () => 1,
  } as const;
  expect(() => defineTool({ ...spec, labels: ["privat" as never] })).toThrow(/`labels` must be a list/);
});
