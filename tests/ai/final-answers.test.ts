import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Governed, govern, sdkApprover, toAiSdk } from "@toolkeep/ai";
import { createSession, memoryStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { generateText, type ModelMessage, type ToolSet } from "ai";
import { expect, test } from "vitest";
import { journalOf, request, tampered } from "../../packages/ai/src/ai-sdk/governed-chat.test.kit.ts";
import { answered, type Reply, scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { bank, CHAT, call, noThenYes } from "./final-answers.ts";

const POLICY = ['ask pay because "Money."', "allow look"];
const SAID: ModelMessage = { role: "user", content: "Something else." };

/** A chat whose requests share one governed set, or have one each, as on a server. */
function chatOf(way: string) {
  const { paid, tools } = bank();
  const [store, sessionId] = [memoryStore(), "chat"];
  const open = () => govern(tools, { policy: POLICY, store, sessionId });
  let shared: Promise<Governed<typeof tools>> | undefined;
  const governed = () => {
    shared ??= open();
    return way === "shared" ? shared : open();
  };
  const ask = async (replies: readonly Reply[], messages?: ModelMessage[]) =>
    request(await governed(), replies, messages);
  return { paid, ask, governed, store };
}

test("without `receive`, a no in a chat in memory is final", () => noThenYes(memoryStore()));

test("without `receive`, a no in a chat on SQLite is final", async () => {
  const path = mkdtempSync(join(tmpdir(), "toolkeep-final-"));
  const store = openSqliteStore({ path });
  await noThenYes(store);
  await store.close();
  rmSync(path, { recursive: true });
});

test("a no is final for `toAiSdk` too", async () => {
  let runs = 0;
  const { tool } = stubTool("pay", () => {
    runs += 1;
  });
  await using session = await createSession({ tools: [tool], policy: POLICY, approver: sdkApprover });
  const governed = toAiSdk(session);
  const ask = (replies: readonly Reply[], messages?: ModelMessage[]) => request(governed, replies, messages);
  const first = await ask([[{ id: "call_1", name: "pay", input: {} }]]);
  await ask(["all right"], answered(first.messages, first.responses, false));
  const { prompts } = await ask(["?"], answered(first.messages, first.responses, true));
  expect(prompts[0]).toContain("already refused");
  expect(runs).toBe(0);
});

test("a request of the session's own approver stays open while the model is asked", async () => {
  const pay = stubTool("pay", () => "paid");
  const answer = Promise.withResolvers<{ verdict: "once" }>();
  const approver = { approve: () => answer.promise };
  await using session = await createSession({ tools: [pay.tool], policy: POLICY, approver });
  const { tools } = toAiSdk(session);
  const paying = session.call({ id: "c1", name: "pay", arguments: {} });
  await expect.poll(async () => (await session.waiting()).length).toBe(1);
  await generateText({ model: scriptedModel(["hello"]).model, tools: tools as ToolSet, messages: CHAT });
  answer.resolve({ verdict: "once" });
  expect(await paying).toMatchObject({ ok: true });
});

for (const way of ["one for each request", "shared"]) {
  test(`a no to one of two calls is final, and the other one runs (${way})`, async () => {
    const { paid, ask } = chatOf(way);
    const first = await ask([[call("A"), call("B", "call_2")]]);
    const [no, yes] = [false, true].map((is) => answered(first.messages, first.responses, is));
    const mixed = JSON.parse(JSON.stringify(yes)) as ModelMessage[];
    (mixed.at(-1)?.content as { approved: boolean }[] | undefined)?.splice(
      0,
      1,
      no?.at(-1)?.content[0] as never,
    );
    await ask(["done"], mixed);
    const { prompts } = await ask(["?"], yes);
    expect(paid).toEqual(["B"]);
    expect(prompts[0]).toMatch(/already refused.*already used/);
  });

  test(`a client that continues the chat without the call cannot approve it later (${way})`, async () => {
    const { paid, ask } = chatOf(way);
    const first = await ask([[call("A-7")]]);
    await ask(["yes?"], [...CHAT, SAID]);
    const { prompts } = await ask(["?"], answered(first.messages, first.responses, true));
    expect(prompts[0]).toContain("already refused");
    expect(paid).toEqual([]);
  });

  test(`a no after an approval that was not valid is final (${way})`, async () => {
    const { paid, ask } = chatOf(way);
    const first = await ask([[call("A-7")]]);
    const yes = answered(first.messages, first.responses, true);
    await ask(["?"], tampered(yes, "A-7", "B-8"));
    await ask(["all right"], answered(first.messages, first.responses, false));
    const { prompts } = await ask(["?"], yes);
    expect(prompts[0]).toContain("already refused");
    expect(paid).toEqual([]);
  });

  test(`an approval counts after one that was not valid, also if the model called other tools then (${way})`, async () => {
    const { paid, ask } = chatOf(way);
    const first = await ask([[call("A-7")]]);
    const yes = answered(first.messages, first.responses, true);
    await ask([[{ id: "call_9", name: "look", input: {} }], "?"], tampered(yes, "A-7", "B-8"));
    await ask(["done"], yes);
    expect(paid).toEqual(["A-7"]);
  });

  test(`a call that was not answered with the others can still be approved (${way})`, async () => {
    const { paid, ask } = chatOf(way);
    const first = await ask([[call("A"), call("B", "call_2")]]);
    const yes = answered(first.messages, first.responses, true);
    const half = JSON.parse(JSON.stringify(yes)) as ModelMessage[];
    (half.at(-1)?.content as unknown[] | undefined)?.pop();
    await ask(["?"], half).catch(() => undefined);
    expect(paid).toEqual(["A"]);
    await ask(["done"], yes);
    expect(paid).toEqual(["A", "B"]);
  });
}

test("code that reads the tools without asking the model closes no request", async () => {
  const { paid, ask, governed } = chatOf("shared");
  const first = await ask([[call("A-7")]]);
  const { tools } = await governed();
  const { inputSchema } = tools.pay as unknown as { inputSchema: { jsonSchema: { properties: object } } };
  expect(Object.keys(inputSchema.jsonSchema.properties)).toEqual(["invoice"]);
  expect(JSON.stringify({ ...tools.pay })).toContain('"invoice"');
  await ask(["done"], answered(first.messages, first.responses, true));
  expect(paid).toEqual(["A-7"]);
});

test("the journal says that the chat was continued, and the reason of a no that `receive` read", async () => {
  const { ask, governed } = chatOf("shared");
  const first = await ask([[call("A-7")]]);
  await ask(["all right"], answered(first.messages, first.responses, false));
  const chat = await governed();
  const journal = JSON.stringify(await journalOf(chat));
  expect(journal).toContain("the chat was continued without an approval of this call");
  expect(journal).toContain('"by":"client of the chat"');
  const second = await ask([[call("B-8", "call_2")]]);
  const no = answered(second.messages, second.responses, false);
  const reasoned = tampered(no, '"approved":false', '"approved":false,"reason":"Not this month."');
  await chat.receive(reasoned);
  expect(JSON.stringify(await journalOf(chat))).toContain("Denied by the approver: Not this month.");
});
