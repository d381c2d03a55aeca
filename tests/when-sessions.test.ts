import { createSession, memoryStore } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { compilePolicy, diffPolicies, recordedCalls } from "@toolkeep/core/policy";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { cel } from "@toolkeep/policy/cel";
import { expect, test } from "vitest";

const mail = () =>
  stubTool("mail", () => "sent", {
    requires: { capabilities: ["mail.send"] },
    effects: ({ to }) => [effect("mail.send", String(to))],
    mode: "external",
  });

const policy = (...rules: readonly string[]) => ({ rules, conditions: cel, builtIn: "off" as const });
const RATE = policy("allow mail.send", 'deny mail.send "*" when "rate(\'1h\') >= 3"');
const send = (id: string) => ({ id, name: "mail", arguments: { to: "ada" } });

test("a rate counts the calls of a batch, of later turns, and of the process after a restart", async () => {
  const store = memoryStore();
  const options = { id: "s", store, policy: RATE };
  const first = await createSession({ ...options, tools: [mail().tool] });
  const batch = await first.run([send("1"), send("2")]);
  expect(batch.results.map((result) => result?.ok)).toEqual([true, true]);
  await first.close();
  const stub = mail();
  await using second = await createSession({ ...options, tools: [stub.tool] });
  const rest = await second.run([send("3"), send("4"), send("5")]);
  expect(rest.results.map((result) => result?.ok)).toEqual([true, false, false]);
  expect(stub.executed).toHaveLength(1);
});

test("a batch is not decided as if none of its calls had been made", async () => {
  const stub = mail();
  await using session = await createSession({ tools: [stub.tool], policy: RATE });
  const { results } = await session.run(Array.from({ length: 20 }, (_unused, index) => send(`${index}`)));
  expect(results.filter((result) => result?.ok)).toHaveLength(3);
  expect(stub.executed).toHaveLength(3);
});

test("a subagent shares the count of its parent", async () => {
  await using parent = await createSession({ tools: [mail().tool], policy: RATE });
  await parent.run([send("1"), send("2"), send("3")]);
  await using child = await createSession({ tools: [mail().tool], parent: parent.childContext("helper") });
  expect(await child.call("mail", { to: "ada" })).toMatchObject({ ok: false, failure: { code: "denied" } });
});

test("what was known then is recorded, and another policy decides by it", async () => {
  const store = memoryStore();
  const session = await createSession({ id: "s", store, tools: [mail().tool], policy: RATE });
  const before = Date.now();
  await session.run([send("1"), send("2"), send("3"), send("4")]);
  const found = await Array.fromAsync(session.journal.read({ types: ["call-start", "call-refuse"] }));
  const events = found
    .filter((event) => "callId" in event)
    .toSorted((one, other) => one.callId.localeCompare(other.callId));
  expect(events.map((event) => ("facts" in event ? event.facts?.rates : undefined))).toEqual(
    [0, 1, 2, 3].map((count) => ({ 'mail.send "*" 3600s': count })),
  );
  expect(events[0]).toMatchObject({ facts: { now: expect.any(Number) } });
  const calls = await recordedCalls(session.journal);
  await session.close();
  expect(calls[0]?.context.now).toBeGreaterThanOrEqual(before);
  // The same policy decides the same, long after; a stricter rate finds what it would have denied.
  expect(await diffPolicies("recorded", compilePolicy(RATE), calls)).toEqual([]);
  const stricter = compilePolicy(policy("allow mail.send", "deny mail.* when \"rate('10m') >= 1\""));
  const differences = await diffPolicies("recorded", stricter, calls);
  expect(differences.map(({ recorded }) => recorded.call.id)).toEqual(["2", "3"]);
});

test("an amount is asked about each time, whatever was answered before", async () => {
  const approver = scriptedApprover("always");
  await using session = await createSession({
    tools: [mail().tool],
    policy: policy("allow mail.send", 'ask mail.send "*" when "args.to == \'eve\'"'),
    approver,
  });
  for (const to of ["eve", "ada", "eve"]) await session.call("mail", { to });
  expect(approver.requests).toHaveLength(2);
});

test("a call that waited for an answer does not count itself when it is decided again", async () => {
  const store = memoryStore();
  const rules = policy("ask mail.send", 'deny mail.send "*" when "rate(\'1h\') >= 1"');
  const stub = mail();
  await using session = await createSession({
    ...{ id: "s", store, tools: [stub.tool], policy: rules },
    approver: scriptedApprover("edit"),
  });
  // Edited arguments make another call of it, which is decided again.
  expect(await session.call("mail", { to: "ada" })).toMatchObject({ ok: true });
  expect(await session.call("mail", { to: "ada" })).toMatchObject({ ok: false });
  expect(stub.executed).toHaveLength(1);
});
