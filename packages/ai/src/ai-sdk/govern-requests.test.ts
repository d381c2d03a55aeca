import { memoryStore, type SessionStore } from "@toolkeep/core";
import { tool } from "ai";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { type GovernOptions, govern } from "./govern.ts";
import { journalOf, request } from "./governed-chat.test.kit.ts";

const tools = {
  pay: tool({
    description: "Pays an invoice.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: async ({ invoice }) => `paid ${invoice}`,
  }),
};
const pay = (id: string) => [{ id, name: "pay", input: { invoice: "A-1" } }];
const requires = { capabilities: ["bank.pay"] };

/** A store that counts how often a chat is opened. */
function counted() {
  const store = memoryStore();
  return { store, opened: vi.spyOn(store, "open") };
}

/** A request of a server, which writes its options anew each time. */
const governed = (store: SessionStore, more: Partial<GovernOptions<typeof tools>> = {}) =>
  govern(tools, {
    ...{ store, sessionId: "chat", policy: ["allow pay", "allow bank.pay"], tools: { pay: { requires } } },
    ...more,
  });

test("an allowed call opens the chat once, from the second request on", async () => {
  const { store, opened } = counted();
  for (const [index, id] of ["call_1", "call_2", "call_3"].entries()) {
    opened.mockClear();
    const chat = await governed(store);
    const { prompts } = await request(chat, [pay(id), "done"]);
    expect(prompts[1]).toContain("paid A-1");
    expect(opened).toHaveBeenCalledTimes(index === 0 ? 2 : 1);
    expect(await store.isInUse?.("chat")).toBe(false);
  }
  const ends = (await journalOf(await governed(store))).filter(({ type }) => type === "call-end");
  expect(ends).toHaveLength(3);
});

test("a chat whose allowed call is not executed is free again soon", async () => {
  const { store } = counted();
  const { toolApproval } = await governed(store);
  const toolCall = { type: "tool-call", toolCallId: "c", toolName: "pay", input: { invoice: "A-1" } };
  const question = { toolCall, messages: [], tools, toolsContext: {}, runtimeContext: {} };
  expect(await toolApproval(question as never)).toBe("not-applicable");
  expect(await store.isInUse?.("chat")).toBe(true);
  await vi.waitFor(async () => expect(await store.isInUse?.("chat")).toBe(false));
});

test("what is wrong with a policy is reported again only for another set-up, and each value has it", async () => {
  const { store, opened } = counted();
  const misspelled = { policy: ["allow pay", "deny bank.pya"] };
  const diagnostics = await Promise.all(
    [1, 2].map(async () => (await governed(store, misspelled)).diagnostics),
  );
  expect(diagnostics[0]).toMatchObject([{ message: expect.stringContaining("bank.pya") }]);
  expect(diagnostics[1]).toEqual(diagnostics[0]);
  opened.mockClear();
  expect((await governed(store, misspelled)).diagnostics).toEqual(diagnostics[0]);
  expect(opened).not.toHaveBeenCalled();
  const effects = () => [];
  for (const other of [
    { policy: ["deny bank.pya"] },
    { policy: { rules: ["allow pay", "deny bank.pya"], mode: "ask" as const } },
    { ...misspelled, tools: { pay: { requires, effects } } },
    { ...misspelled, variables: { workspace: ["/work"] } },
  ]) {
    opened.mockClear();
    await governed(store, other);
    expect(opened, JSON.stringify(other)).toHaveBeenCalledTimes(1);
  }
});

test("a mistake in the options of one request is an error of that request, however often others were right", async () => {
  const { store } = counted();
  await governed(store);
  await expect(governed(store, { principal: { nam: "ada" } as never })).rejects.toThrow("nam");
  await expect(governed(store, { policy: ["alow pay"] })).rejects.toThrow("alow");
});

test("a store that cannot say whether a chat is in use is asked by opening it", async () => {
  const { store, opened } = counted();
  Object.assign(store, { isInUse: undefined });
  await governed(store);
  opened.mockClear();
  await governed(store);
  expect(opened).toHaveBeenCalledTimes(1);
});
