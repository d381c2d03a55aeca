import { describe, expect, test } from "vitest";
import { call, once, writer } from "../../../../../tests/scenario.ts";
import { HEADLESS_DENIAL } from "../../contract/approval/approval.ts";
import { fsWrite, netFetch } from "../../contract/call/effect.ts";
import { createSession } from "../../session/create-session.ts";
import { runTwice } from "../../testing/run-twice.test.kit.ts";
import { scriptedApprover } from "../../testing/scripted-approver.ts";
import { stubTool } from "../../testing/stub-tool.ts";

describe("authorize and approve", () => {
  const rules = [{ permission: "fs.write", action: "ask" } as const];
  const request = call("writer", { path: "/repo/a" });

  test("a rule that denies is final for the call, and its reason reaches the model", async () => {
    const stub = writer();
    const deny = [
      { permission: "fs.write", pattern: "/repo/**", action: "deny" } as const,
      { permission: "writer", action: "allow" } as const,
    ];
    const { outcome, events } = await once({ tools: [stub.tool], policy: deny }, request);
    expect(outcome.failure).toEqual({
      code: "denied",
      message: 'A policy rule denies this: `deny fs.write "/repo/**"`.',
    });
    expect(events.find(({ type }) => type === "call-refuse")).toMatchObject({
      deniedBy: 'rule: deny fs.write "/repo/**"',
    });
    expect(stub.executed).toEqual([]);
  });

  test("an approver sees the tool, where it came from, its arguments and its effects", async () => {
    const approver = scriptedApprover([{ verdict: "once", by: "ada" }]);
    const { outcome, events } = await once({ tools: [writer().tool], policy: rules, approver }, request);
    expect(outcome.data).toBe("written");
    expect(approver.requests).toMatchObject([
      {
        id: "t1/c1",
        toolName: "writer",
        origin: { layer: "code", source: "code" },
        arguments: { path: "/repo/a" },
        effects: [{ capability: "fs.write", target: "/repo/a", known: "declared" }],
        approvalKey: "fs.write /repo/a",
      },
    ]);
    expect(events.find(({ type }) => type === "call-start")).toMatchObject({
      allowedBy: "approver: ada, once",
    });
  });

  test("a rejection carries the approver's message, and the call is never executed", async () => {
    const stub = writer();
    const approver = scriptedApprover([{ verdict: "reject", message: "Write to /repo/tmp instead." }]);
    const { outcome } = await once({ tools: [stub.tool], policy: rules, approver }, request);
    expect(outcome.failure).toEqual({ code: "denied", message: "Write to /repo/tmp instead." });
    expect(stub.executed).toEqual([]);
  });

  test("without anybody to ask, what asks is denied with a fixed text", async () => {
    const { outcome } = await once({ tools: [writer().tool], policy: rules }, request);
    expect(outcome.failure?.code).toBe("denied");
    expect(outcome.failure?.message).toBe(
      `${HEADLESS_DENIAL} It asked because: A policy rule asks about this: \`ask fs.write\`.`,
    );
  });

  test("always is remembered for the same effects, and for no others", async () => {
    const approver = scriptedApprover((asked) => ({ verdict: asked.callId === "c3" ? "once" : "always" }));
    const session = await createSession({ tools: [writer().tool], policy: rules, approver });
    for (const [id, path] of [
      ["c1", "/repo/a"],
      ["c2", "/repo/a"],
      ["c3", "/repo/b"],
      ["c4", "/repo/b"],
    ] as const) {
      await session.call(call("writer", { path }, id));
    }
    expect(approver.requests.map(({ callId }) => callId)).toEqual(["c1", "c3", "c4"]);
  });

  test("edited arguments start again at the schema, and are what is executed", async () => {
    const stub = writer();
    const edit = (path: string) => scriptedApprover([{ verdict: "edit", arguments: { path } }]);
    const session = await createSession({
      tools: [stub.tool],
      policy: rules,
      approver: edit("/repo/edited"),
    });
    expect((await session.call(request)).ok).toBe(true);
    expect(stub.executed).toEqual([{ path: "/repo/edited" }]);
    const out = await createSession({ tools: [writer().tool], policy: rules, approver: edit("/etc/passwd") });
    expect((await out.call(request)).failure?.code).toBe("out_of_scope");
  });

  test("an approver that fails denies", async () => {
    const approver = () => Promise.reject(new Error("the line is dead"));
    const { outcome } = await runTwice({ tools: [writer().tool], policy: rules, approver }, (session) =>
      session.call(request),
    );
    expect(outcome.failure).toEqual({
      code: "denied",
      message: "Denied: the approver failed (the line is dead).",
    });
  });

  test("an answer that is none of the known ones denies", async () => {
    const approver = async () => ({ verdict: "sure" }) as never;
    const { outcome } = await once({ tools: [writer().tool], policy: rules, approver }, request);
    expect(outcome.failure?.code).toBe("denied");
  });

  test("what would be done must not change between question and answer", async () => {
    let target = "/repo/a";
    const { tool } = stubTool("shifty", () => "x", {
      requires: { fs: { write: ["/repo/**"] } },
      effects: () => [fsWrite(target)],
    });
    const approver = async () => {
      target = "/repo/other";
      return { verdict: "once" } as const;
    };
    const session = await createSession({ tools: [tool], policy: rules, approver });
    expect((await session.call(call("shifty"))).failure?.message).toContain(
      "has changed since it was approved",
    );
  });

  test("a watchdog narrows: it may ask or deny what rules allow; one that fails denies", async () => {
    const allow = [{ permission: "*", action: "allow" } as const];
    const evaluated = (evaluate: () => never | { action: "allow" } | { action: "deny"; reason: string }) =>
      once(
        { tools: [writer().tool], policy: { rules: allow, watchdogs: [{ name: "dog", evaluate }] } },
        request,
      );
    expect((await evaluated(() => ({ action: "allow" }))).outcome.ok).toBe(true);
    expect((await evaluated(() => ({ action: "deny", reason: "smells" }))).outcome.failure?.message).toBe(
      "smells",
    );
    const failed = await evaluated(() => {
      throw new Error("bitten");
    });
    expect(failed.outcome.failure?.message).toBe("The watchdog dog failed: bitten");
  });

  test("a policy that cannot decide has decided: no", async () => {
    const authorizer = {
      decide: () => {
        throw new Error("lost");
      },
    };
    const { outcome } = await once({ tools: [writer().tool], policy: authorizer }, request);
    expect(outcome.failure).toMatchObject({ code: "denied" });
  });

  test("[C11] a tool that is not gated runs without a question where no rule asks, unless it is local", async () => {
    const tools = (["external", "local"] as const).map(
      (mode) =>
        stubTool(mode, () => "x", {
          gated: false,
          mode,
          requires: { net: { hosts: ["*"] } },
          effects: () => [netFetch("a.example")],
        }).tool,
    );
    expect((await once({ tools }, call("external"))).outcome.ok).toBe(true);
    expect((await once({ tools }, call("local"))).outcome.failure?.code).toBe("denied");
    const asks = [{ permission: "net.fetch", action: "ask" } as const];
    expect((await once({ tools, policy: asks }, call("external"))).outcome.failure?.code).toBe("denied");
  });

  test("[C12] the approval key is the tool's own; one that is unfit refuses the call", async () => {
    const keyed = (deriveApprovalKey: () => string) =>
      stubTool("keyed", () => "x", {
        requires: { net: { hosts: ["*"] } },
        effects: () => [netFetch("a")],
        deriveApprovalKey,
      }).tool;
    const approver = scriptedApprover("once");
    await once({ tools: [keyed(() => "host a")], approver }, call("keyed"));
    expect(approver.requests[0]?.approvalKey).toBe("host a");
    for (const bad of [
      () => "",
      () => "a\u0007b",
      () => "x".repeat(2_000),
      () => {
        throw new Error("no");
      },
      () => 3 as never,
    ]) {
      expect((await once({ tools: [keyed(bad)], approver }, call("keyed"))).outcome.failure?.code).toBe(
        "effects_failed",
      );
    }
  });

  test("[C28] every loaded tool can be called; what is allowed without asking is another matter", async () => {
    const session = await createSession({
      tools: [writer().tool, stubTool("other").tool],
      policy: rules,
      approver: scriptedApprover("once"),
    });
    for (const { name } of session.tools())
      expect((await session.call(call(name, { path: "/repo/a" }, name))).ok).toBe(true);
  });
});
