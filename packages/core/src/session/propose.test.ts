import { describe, expect, test } from "vitest";
import { fsWrite } from "../contract/call/effect.ts";
import { memoryStore } from "../journal/memory-store.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const call = { id: "c1", name: "writer", arguments: { path: "/a" } };

/** A tool and an authorizer that count how often they are asked. */
function counting(action: "allow" | "ask" | "deny") {
  const counted = { effects: 0, decisions: 0 };
  const stub = stubTool("writer", () => "written", {
    requires: { fs: { write: ["/**"] } },
    effects: (args) => {
      counted.effects += 1;
      return [fsWrite(String(args["path"]))];
    },
    idempotent: false,
  });
  const policy = {
    decide: () => {
      counted.decisions += 1;
      return { action, layer: "rule", matchedBy: "mine", reason: "because", askedBy: ["rules"] } as const;
    },
  };
  return { counted, stub, policy };
}

const twice = { effects: 2, decisions: 2 };
const once = { effects: 1, decisions: 1 };

describe("a proposed call", () => {
  test("that is allowed is evaluated once when it is proposed and once when it runs", async () => {
    const { counted, stub, policy } = counting("allow");
    await using session = await createSession({ tools: [stub.tool], policy });
    const proposal = await session.propose(call, { id: "turn" });
    expect(proposal).toMatchObject({ status: "allowed", id: "turn", decision: { action: "allow" } });
    expect([counted, stub.executed]).toEqual([once, []]);
    expect(await session.run(proposal)).toMatchObject({
      id: "turn",
      status: "done",
      results: [{ ok: true }],
    });
    expect([counted, stub.executed.length]).toEqual([twice, 1]);
  });

  test("that is approved is evaluated once when it is proposed and once when it runs, also in another process", async () => {
    const { counted, stub, policy } = counting("ask");
    const store = memoryStore();
    const options = { id: "s", store, tools: [stub.tool], policy };
    const approver = scriptedApprover("once");
    const before = await createSession({ ...options, approver });
    const proposal = await before.propose(call, { id: "turn" });
    if (proposal.status !== "waiting") throw new Error("It does not wait.");
    expect(proposal.request).toMatchObject({ sessionId: "s", id: "turn/c1", toolName: "writer" });
    expect(approver.requests).toEqual([]);
    await before.leave();
    expect(counted).toEqual(once);
    await store.answer(proposal.request, { verdict: "once", by: "ada" });
    await using after = await createSession(options);
    expect(await after.run(proposal)).toMatchObject({ status: "done", results: [{ ok: true }] });
    expect([counted, stub.executed.length]).toEqual([twice, 1]);
    expect(await after.run(proposal)).toMatchObject({ results: [{ ok: true }] });
    expect(stub.executed.length).toBe(1);
  });

  test("that is denied, or does not fit its schema, is recorded and final", async () => {
    const { counted, stub, policy } = counting("deny");
    await using session = await createSession({ tools: [stub.tool], policy });
    const proposal = await session.propose(call, { id: "turn" });
    expect(proposal).toMatchObject({
      status: "refused",
      decision: { action: "deny" },
      result: { failure: { code: "denied", message: "because" } },
    });
    expect(await session.run(proposal)).toMatchObject({ results: [{ failure: { code: "denied" } }] });
    expect([counted, stub.executed]).toEqual([once, []]);
    await expect(session.propose(call, { id: "turn" })).rejects.toMatchObject({ code: "invalid_option" });
    const unknown = await session.propose({ ...call, name: "missing" });
    expect(unknown).toMatchObject({ status: "refused", result: { failure: { code: "not_found" } } });
  });

  test("leaves nothing behind while it is only allowed: nothing recorded, nothing marked, nothing counted", async () => {
    const { stub, policy } = counting("allow");
    await using session = await createSession({ tools: [stub.tool], policy });
    const before = await Array.fromAsync(session.journal.read());
    await session.propose(call);
    expect(await Array.fromAsync(session.journal.read())).toEqual(before);
  });

  test("is decided anew when it runs: a rule that came since denies it, whatever the proposal says", async () => {
    const { stub } = counting("allow");
    let action: "allow" | "deny" = "allow";
    const policy = { decide: () => ({ action, layer: "rule", matchedBy: "mine" }) as const };
    await using session = await createSession({ tools: [stub.tool], policy });
    const proposal = await session.propose(call);
    action = "deny";
    expect(await session.run(proposal)).toMatchObject({ results: [{ failure: { code: "denied" } }] });
    const forged = {
      ...proposal,
      id: "other",
      decision: { ...proposal.decision, action: "allow" },
    } as typeof proposal;
    expect(await session.run(forged)).toMatchObject({ results: [{ failure: { code: "denied" } }] });
    expect(stub.executed).toEqual([]);
  });
});

test("an approved call is evaluated twice where the approver answers at once, and no more", async () => {
  const { counted, stub, policy } = counting("ask");
  await using session = await createSession({
    tools: [stub.tool],
    policy,
    approver: scriptedApprover("once"),
  });
  expect(await session.call("writer", { path: "/a" })).toMatchObject({ ok: true, data: "written" });
  expect(counted).toEqual(twice);
});
