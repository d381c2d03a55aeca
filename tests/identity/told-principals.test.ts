import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { executeTool, type Principal, type Session } from "@toolkeep/core";
import { createSessionWithPorts as createSession, memoryJournal } from "@toolkeep/core/internal";
import { replayJournal } from "@toolkeep/core/journal";
import { recordedCalls, type Watchdog } from "@toolkeep/core/policy";
import type { TaskOptions, TaskRunner } from "@toolkeep/core/ports";
import { stubTool } from "@toolkeep/core/testing";
import { opaWatchdog } from "@toolkeep/node";
import { expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { call } from "../scenario.ts";
import { look, lookTool, openService, pay, payTool } from "./stage.ts";

const ALICE: Partial<Principal> = { user: "alice", groups: ["support"] };
const DAVE: Partial<Principal> = { user: "dave", groups: ["finance"], tenant: "acme" };

/** Notes on whose behalf each call is decided. */
function watching(seen: (readonly unknown[])[]): Watchdog {
  return {
    name: "witness",
    evaluate({ found }, { principal }) {
      seen.push([found.name, principal.user, principal.groups, principal.tenant, principal.agent]);
      return { action: "allow" };
    },
  };
}

const task = (agent: string, id: string) =>
  call("task", { prompt: "Look.", description: "looking", subagent_type: agent }, id);

/** A parent whose subagents look a customer up. */
async function family(
  seen: (readonly unknown[])[],
  wait: (options: TaskOptions) => Promise<void> = async () => {},
) {
  const tasks: TaskRunner = {
    async run({ agent }, options) {
      await wait(options);
      const child = await createSession({ parent: parent.childContext(agent), tools: [lookTool()] });
      const { ok } = await child.call(look("1"));
      return { status: "done", childId: child.id, text: String(ok) };
    },
  };
  const parent: Session = await createSession({
    ...{ tools: [taskTool()], tasks, principal: { user: "svc-agent", groups: ["finance"], role: "admin" } },
    policy: { rules: ["allow *"], builtIn: "off", watchdogs: [watching(seen)] },
  });
  return parent;
}

test("a subagent has the principal of the call that started it, and not that of the session", async () => {
  const seen: (readonly unknown[])[] = [];
  const parent = await family(seen);
  await parent.call(task("scout", "c1"), { principal: ALICE });
  await parent.call(task("scout", "c2"));
  expect(seen.filter(([name]) => name === "look")).toEqual([
    ["look", "alice", ["support"], undefined, "scout"],
    ["look", "svc-agent", ["finance"], undefined, "scout"],
  ]);
});

test("where calls of two principals start subagents at once, one that does not say for which is refused", async () => {
  const seen: (readonly unknown[])[] = [];
  const both = Promise.withResolvers<void>();
  const told: Principal[] = [];
  const parent = await family(seen, async ({ principal }) => {
    told.push(principal);
    if (told.length === 2) both.resolve();
    await both.promise;
  });
  const results = await Promise.all([
    parent.call(task("scout", "c1"), { principal: ALICE }),
    parent.call(task("scout", "c2"), { principal: DAVE }),
  ]);
  expect(results.some(({ ok }) => ok)).toBe(false);
  expect(seen.filter(([name]) => name === "look")).toEqual([]);
  expect(told).toMatchObject([ALICE, DAVE]);
});

test("a task that names its principal gets it", async () => {
  const seen: (readonly unknown[])[] = [];
  const parent = await family(seen);
  const child = await createSession({
    parent: parent.childContext("scout", { ...DAVE }),
    tools: [lookTool()],
  });
  await child.call(look("1"));
  expect(seen).toEqual([["look", "dave", ["finance"], "acme", "scout"]]);
});

test("a policy server is told the principal of the turn, as a whole", async () => {
  const posted: { readonly input: { readonly principal: unknown } }[] = [];
  const server = createServer(async (request, response) => {
    posted.push(JSON.parse((await request.toArray()).join("")));
    response.end(JSON.stringify({ result: true }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const watchdogs = [opaWatchdog({ url })];
  const session = await openService({ policy: { rules: ["allow crm.read *"], watchdogs } });
  await session.call(look("1", "c1"), { principal: ALICE });
  await session.call(look("2", "c2"), { principal: DAVE });
  server.closeAllConnections();
  server.close();
  const place = { role: "agent", environment: "production", workspace: "main" };
  expect(posted.map(({ input }) => input.principal)).toEqual([
    { ...ALICE, ...place },
    { ...DAVE, ...place },
  ]);
});

test("a replay decides each turn on behalf of the principal of then", async () => {
  const journal = memoryJournal();
  const policy = ["allow payments.send * if group finance"];
  const paid: string[] = [];
  const session = await openService({
    ...{ journal, policy, tools: [payTool(paid)], principal: { user: "svc-agent", groups: ["finance"] } },
  });
  await session.run([pay(1, "bob", "c1")]);
  await session.run([pay(2, "bob", "c2")], { principal: ALICE });
  await session.call(pay(3, "bob", "c3"), { principal: DAVE });
  await session.close();
  const { differences, results } = await replayJournal(journal, (ports) =>
    openService({ policy, tools: [payTool(paid)], principal: { user: "auditor" }, ...ports }),
  );
  expect(differences).toEqual([]);
  expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(paid).toEqual(["1 to bob", "3 to bob"]);
});

test("a call by name has the user of the session, and the role and workspace that it names", async () => {
  const session = await openService({ policy: ["allow crm.read * if user svc-agent and group finance"] });
  const result = await executeTool(session, { toolName: "look", parameters: { id: "1" }, role: "guest" });
  expect(result).toMatchObject({ success: true });
  expect((await recordedCalls(session.journal))[0]?.context.principal).toMatchObject({
    ...{ user: "svc-agent", groups: ["finance"], tenant: "acme", role: "guest", workspace: "main" },
  });
});

test("a crash in a call for another principal is recorded as such, and is not run again", async () => {
  const journal = memoryJournal();
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = stubTool("slow", () => promise, { requires: {}, idempotent: false });
  const policy = ["allow *"];
  const session = await createSession({ journal, tools: [slow.tool], policy });
  void session.call(call("slow"), { id: "turn", principal: ALICE });
  await expect.poll(() => slow.executed.length).toBe(1);
  // The process ends here: another one has the journal and nothing else.
  const copy = memoryJournal();
  for await (const { seq, at, turn, ...entry } of journal.read()) copy.append(seq, at, turn, entry);
  const later = await createSession({ journal: copy, id: session.id, tools: [slow.tool], policy });
  expect(await later.resume("turn")).toMatchObject({
    results: [{ ok: false, failure: { code: "outcome_unknown" } }],
  });
  expect(slow.executed).toHaveLength(1);
  resolve("done");
});
