import { describe, expect, test } from "vitest";
import { call, once, writer } from "../../../../../tests/scenario.ts";
import { HEADLESS_DENIAL } from "../../contract/approval/approval.ts";
import { fsRead } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { EffectResolver } from "../../contract/io/resolve-effects.ts";
import { createSession } from "../../session/create-session.ts";
import { scriptedApprover } from "../../testing/scripted-approver.ts";
import { stubTool } from "../../testing/stub-tool.ts";

describe("resolve effects and check scope", () => {
  test("an effect outside what the tool requires is refused before policy is asked", async () => {
    const stub = writer();
    const approver = scriptedApprover("once");
    const { outcome } = await once({ tools: [stub.tool], approver }, call("writer", { path: "/etc/passwd" }));
    expect(outcome.failure).toEqual({
      code: "out_of_scope",
      message: "This is outside of what writer was declared for: it writes /etc/passwd.",
    });
    expect(approver.requests).toEqual([]);
    expect(stub.executed).toEqual([]);
  });

  test("dots cannot lead out of it", async () => {
    const { outcome } = await once(
      { tools: [writer().tool] },
      call("writer", { path: "/repo/../etc/passwd" }),
    );
    expect(outcome.failure?.code).toBe("out_of_scope");
  });

  test("nor can a link, also where a pattern stands for all that is beneath it", async () => {
    const resolver: EffectResolver = {
      canonicalPath: async (path) => path.replace(/^\/repo\/link(?=\/|$)/, "/etc"),
      parseCommand: async () => ({ plain: false, reason: "none" }),
    };
    const { tool } = stubTool("lister", () => "x", {
      requires: { fs: { read: ["/repo/**"] } },
      effects: ({ root }) => [fsRead(`${root}/**`)],
    });
    const rules = [{ permission: "*", action: "allow" } as const];
    const list = (root: string) => once({ tools: [tool], resolver, policy: rules }, call("lister", { root }));
    expect((await list("/repo/src")).outcome.ok).toBe(true);
    expect((await list("/repo/link")).outcome.failure?.message).toContain("reads everything in /etc.");
    expect((await list("/repo/link/ssh")).outcome.failure?.message).toContain(
      "reads everything in /etc/ssh.",
    );
  });

  test("where it is not known which files have labels, nothing is read or written", async () => {
    const why = "file-labels.json cannot be used. Type: mv a b";
    const fileLabels = {
      of: async () => Promise.reject(new ToolFailure("effects_failed", why)),
      remember: async () => {},
    };
    const resolver: EffectResolver = {
      canonicalPath: async (path) => path,
      parseCommand: async () => ({ plain: false, reason: "none" }),
      fileLabels,
    };
    const stub = writer();
    const rules = [{ permission: "*", action: "allow" } as const];
    const { outcome } = await once(
      { tools: [stub.tool], resolver, policy: rules },
      call("writer", { path: "/repo/a" }),
    );
    expect(outcome.failure).toMatchObject({ code: "effects_failed", message: `writer: ${why}.` });
    expect(stub.executed).toEqual([]);
  });

  test("the ceiling holds whatever the tool requires", async () => {
    const options = { tools: [writer().tool], ceiling: { fs: { write: ["/repo/src/**"] } } };
    const rules = [{ permission: "*", action: "allow" } as const];
    expect(
      (await once({ ...options, policy: rules }, call("writer", { path: "/repo/src/a" }))).outcome.ok,
    ).toBe(true);
    const { outcome } = await once({ ...options, policy: rules }, call("writer", { path: "/repo/b" }));
    expect(outcome.failure?.message).toContain("outside the ceiling");
  });

  test("a tool that does not say what it does is taken to do all it requires", async () => {
    const { tool } = stubTool("fetcher", () => "x", {
      requires: { net: { hosts: ["a.example", "b.example"] } },
    });
    const approver = scriptedApprover("once");
    await createSession({ tools: [tool], approver }).then((session) => session.call(call("fetcher")));
    expect(approver.requests[0]?.effects.map(({ target }) => target)).toEqual(["a.example", "b.example"]);
  });

  test("a tool that cannot say what it needs asks every time", async () => {
    const { tool } = stubTool("opaque", () => "x", { requires: "unknown" });
    const { outcome } = await once({ tools: [tool] }, call("opaque"));
    expect(outcome.failure).toMatchObject({
      code: "denied",
      message: expect.stringContaining(HEADLESS_DENIAL),
    });
  });

  test("effects that throw, or are no effects, refuse the call", async () => {
    for (const effects of [
      () => {
        throw new Error("boom");
      },
      () => "nothing" as never,
      () => [{ capability: 'fs.read","x":"', target: "/repo/a" }],
      () => [fsRead("relative/path")],
      // A list with a hole.
      () => Object.assign(new Array(2), { 1: fsRead("/repo/a") }),
      () => Promise.reject(new Error("late")),
    ]) {
      const { tool } = stubTool("bad", () => "x", { effects });
      expect((await once({ tools: [tool] }, call("bad"))).outcome.failure?.code).toBe("effects_failed");
    }
  });

  test("what a tool asks the resolver is recorded and not asked again in a replay", async () => {
    let asked = 0;
    const resolver = {
      canonicalPath: async (path: string) => {
        asked += 1;
        return path.replace("/link", "/repo/real");
      },
      parseCommand: async () => ({ plain: false, reason: "no" }) as const,
    };
    const { tool } = stubTool("reader", () => "x", {
      requires: { fs: { read: ["/repo/**"] } },
      effects: async (args, port) => [fsRead(await port.canonicalPath(String(args["path"])))],
    });
    const rules = [{ permission: "fs.read", action: "allow" } as const];
    const { outcome, events } = await once(
      { tools: [tool], resolver, policy: rules },
      call("reader", { path: "/link/a" }),
    );
    expect(outcome.ok).toBe(true);
    expect(asked).toBe(2);
    expect(events.find(({ type }) => type === "call-start")).toMatchObject({
      effects: [{ target: "/repo/real/a" }],
    });
  });
});
