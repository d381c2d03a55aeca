import { expect, test } from "vitest";
import { call, once } from "../../../../../tests/scenario.ts";
import { shellRun } from "../../contract/call/effect.ts";
import type { Io } from "../../contract/io/io.ts";
import type { Grant } from "../../contract/stages/grant.ts";
import { withRegistration } from "../../registry/tool-registration.ts";
import { scriptedApprover } from "../../testing/scripted-approver.ts";
import { stubTool } from "../../testing/stub-tool.ts";

/** A tool that runs a command, and a session that may contain it. */
function scene(spec: Parameters<typeof stubTool>[2] = {}) {
  const grants: Grant[] = [];
  const ran = (_args: unknown, { io }: { readonly io: Io }) => (io === undefined ? "without io" : "ran");
  const stub = stubTool("run", ran, {
    ...{ mode: "local", idempotent: false, containable: true, requires: { capabilities: ["shell.run"] } },
    effects: () => [shellRun(["./build"])],
    ...spec,
  });
  const asked: string[] = [];
  return {
    stub,
    grants,
    asked,
    options: {
      tools: [stub.tool],
      approver: scriptedApprover([{ verdict: "once", by: "ada" }]),
      grantIo: (grant: Grant) => {
        grants.push(grant);
        return {} as Io;
      },
      mayContain: async ({ id }: { readonly id: string }) => asked.push(id) > 0,
    },
  };
}

const startOf = (events: readonly { readonly type: string }[]) =>
  events.find(({ type }) => type === "call-start");

test("a call that would ask runs contained, and the record says that containment decided", async () => {
  const { options, grants, stub } = scene();
  const { outcome, events } = await once(options, call("run"));
  expect(outcome.ok).toBe(true);
  expect(grants.map(({ contained }) => contained)).toEqual([true]);
  expect(stub.executed).toHaveLength(1);
  expect(options.approver.requests).toEqual([]);
  expect(startOf(events)).toMatchObject({ allowedBy: expect.stringMatching(/^containment: /) });
});

test("a call that cannot be contained asks as it always did", async () => {
  const { options, grants } = scene();
  const { events } = await once({ ...options, mayContain: async () => false }, call("run"));
  expect(grants.map(({ contained }) => contained)).toEqual([undefined]);
  expect(startOf(events)).toMatchObject({ allowedBy: "approver: ada, once" });
});

test.each([
  ["that does not say that its commands are all it does", { containable: false }, []],
  ["that is allowed", {}, ["allow shell.run"]],
])("a call of a tool %s is not tried", async (_what, spec, policy) => {
  const { options, grants, asked } = scene(spec);
  expect((await once({ ...options, policy }, call("run"))).outcome.ok).toBe(true);
  expect([asked, grants.map(({ contained }) => contained)]).toEqual([[], [undefined]]);
});

test("what a server declares of its tools is not believed", async () => {
  const { options, asked, stub } = scene();
  const tool = withRegistration(stub.tool, { origin: { layer: "user", source: "mcp", id: "elsewhere" } });
  const { events } = await once({ ...options, tools: [tool] }, call("run"));
  expect(asked).toEqual([]);
  expect(startOf(events)).toMatchObject({ allowedBy: "approver: ada, once" });
});

test("a call that a gate changed is asked about: what was contained is another call", async () => {
  const { options, grants } = scene();
  const gates = [{ name: "changes", before: () => ({ arguments: { other: true } }) }];
  const { events } = await once({ ...options, gates }, call("run"));
  expect(grants.map(({ contained }) => contained)).toEqual([undefined]);
  expect(startOf(events)).toMatchObject({ allowedBy: "approver: ada, once" });
});

test("a denied call stays denied", async () => {
  const { options, asked, stub } = scene();
  const { outcome } = await once({ ...options, policy: ["deny shell.run"] }, call("run"));
  expect([outcome.failure?.code, asked, stub.executed]).toEqual(["denied", [], []]);
});
