import { defineTool, effects } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { memoryJournal, memoryPending } from "@toolkeep/core/journal";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  inputSchema: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  requires: { capabilities: ["bank.pay"] },
  effects: ({ invoice }) => [effects.of("bank.pay", invoice)],
  execute: ({ invoice }) => `paid ${invoice}`,
});

// What both lives of the session share: its journal, its pending arguments, its name.
const life = { tools: [pay], id: "s1", journal: memoryJournal(), pending: memoryPending() };

const first = await createSession({ ...life, approver: async () => "later" });
const parked = await first.run([{ id: "call_1", name: "pay", arguments: { invoice: "A-17" } }]);
console.log(parked.status, await first.waiting().then((requests) => requests.map(({ id }) => id)));

// Another process, days later: somebody answers, and the turn goes on.
const second = await createSession(life);
await second.answer("t1/call_1", { verdict: "once", by: "ada" });
const done = await second.resume("t1");
console.log(done.status, done.results[0]?.data);
await second.close();
