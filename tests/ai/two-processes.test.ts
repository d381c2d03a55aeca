import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GovernOptions, govern } from "@toolkeep/ai";
import { memoryStore } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { tool } from "ai";
import { afterAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { journalOf, request } from "../../packages/ai/src/ai-sdk/governed-chat.test.kit.ts";
import { answered } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "toolkeep-two-processes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const paid: string[] = [];
beforeEach(() => {
  paid.length = 0;
});

const TOOLS = {
  pay: tool({
    description: "Pays an invoice.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: ({ invoice }) => {
      paid.push(invoice);
      return `paid ${invoice}`;
    },
  }),
};
const OPTIONS = {
  policy: { rules: [{ permission: "bank.pay", action: "ask", because: "Money leaves the account." }] },
  tools: {
    pay: {
      requires: { capabilities: ["bank.pay"] },
      effects: ({ invoice }) => [effect("bank.pay", invoice)],
    },
  },
  sessionId: "chat",
} satisfies GovernOptions<typeof TOOLS>;
const PAY = [{ id: "call_1", name: "pay", input: { invoice: "A-1" } }];

test("one process asks and another one takes the approval at once, with the defaults", async () => {
  const path = join(folder, "replicas");
  const one = await govern(TOOLS, { ...OPTIONS, store: openSqliteStore({ path }) });
  const first = await request(one, [PAY]);
  // Another store on the same folder is what another process has.
  const two = await govern(TOOLS, { ...OPTIONS, store: openSqliteStore({ path }) });
  await request(two, ["done"], answered(first.messages, first.responses, true));
  expect(paid).toEqual(["A-1"]);
  const again = await request(one, ["?"], answered(first.messages, first.responses, true));
  expect(again.prompts[0]).toContain("already used");
  expect(paid).toEqual(["A-1"]);
});

test("a chat that stays in use is an error that says what to do", async () => {
  const path = join(folder, "kept");
  const one = await govern(TOOLS, { ...OPTIONS, store: openSqliteStore({ path }), idleMs: 60_000 });
  await request(one, [PAY]);
  const taking = govern(TOOLS, { ...OPTIONS, store: openSqliteStore({ path }) });
  await expect(taking).rejects.toMatchObject({
    code: "session_in_use",
    message: expect.stringMatching(/"chat" is in use.*`idleMs`.*409.*one process/),
  });
  await one.close();
});

test("an approval that another process left in the store runs the call without a response of the client", async () => {
  const store = memoryStore();
  const chat = await govern(TOOLS, { ...OPTIONS, store });
  const first = await request(chat, [PAY]);
  const [waiting] = await store.waiting();
  if (waiting === undefined) throw new Error("Nothing was asked.");
  await store.answer(waiting.request, { verdict: "once", by: "ada" });
  expect(await store.waiting()).toEqual([]);
  const messages = [...first.messages, ...first.responses];
  const later = await govern(TOOLS, { ...OPTIONS, store });
  const { prompts } = await request(later, ["done"], await later.receive(messages));
  expect(prompts[0]).toContain("paid A-1");
  expect(paid).toEqual(["A-1"]);
  expect(JSON.stringify(await journalOf(later))).toContain('"by":"ada"');
  expect(await later.receive([...messages, { role: "user", content: "and now?" }])).toHaveLength(3);
});

test("a rejection that another process left in the store denies the call, with its message", async () => {
  const store = memoryStore();
  const chat = await govern(TOOLS, { ...OPTIONS, store });
  const first = await request(chat, [PAY]);
  const [waiting] = await store.waiting();
  if (waiting === undefined) throw new Error("Nothing was asked.");
  await store.answer(waiting.request, { verdict: "reject", message: "Not this month.", by: "ada" });
  const { prompts } = await request(
    chat,
    ["all right"],
    await chat.receive([...first.messages, ...first.responses]),
  );
  expect(prompts[0]).toContain("Not this month.");
  const yes = await request(chat, ["?"], answered(first.messages, first.responses, true));
  expect(yes.prompts[0]).toContain("already refused");
  expect(paid).toEqual([]);
});

test("resuming a turn of a chat outside of the SDK is refused and does not spend the approval", async () => {
  const store = memoryStore();
  const chat = await govern(TOOLS, { ...OPTIONS, store });
  const first = await request(chat, [PAY]);
  const [waiting] = await store.waiting();
  const turn = waiting?.request.id.split("/")[0] ?? "";
  await chat.use((session) => session.answer(waiting?.request.id ?? "", { verdict: "once", by: "ada" }));
  await expect(chat.use((session) => session.resume(turn))).rejects.toThrow(
    /the AI SDK runs its calls.*receive/,
  );
  await request(chat, ["done"], answered(first.messages, first.responses, true));
  expect(paid).toEqual(["A-1"]);
});

test("a rejection in the messages lasts, although an approval follows it", async () => {
  const chat = await govern(TOOLS, { ...OPTIONS, store: memoryStore() });
  const first = await request(chat, [PAY]);
  const no = answered(first.messages, first.responses, false);
  await request(chat, ["all right"], no);
  const yes = answered(first.messages, first.responses, true);
  const both = await request(chat, ["?"], [...no, ...yes.slice(-1)]);
  expect(both.prompts[0]).toContain("already refused");
  await chat.receive(no);
  const alone = await request(chat, ["?"], yes);
  expect(alone.prompts[0]).toContain("already refused");
  expect(paid).toEqual([]);
});

test("the client is shown what the author of a rule wrote, and not the rule", async () => {
  const chat = await govern(TOOLS, { ...OPTIONS, store: memoryStore() });
  const { responses, steps } = await request(chat, [PAY]);
  const shown = JSON.stringify([responses, steps.flatMap(({ content }) => content)]);
  expect(shown).toContain('"reason":"Money leaves the account."');
  expect(shown).not.toContain("ask bank.pay");
});
