import { expect, test } from "vitest";
import type { ApprovalAnswer, Approver } from "../contract/approval/approval.ts";
import { effect } from "../contract/call/effect.ts";
import { ToolFailure } from "../contract/call/result.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { createSession } from "./create-session.ts";

/** One token for each field that others fill: a tool, an observer, a gate, an approver, a model. */
function planter() {
  const planted: (readonly [field: string, token: string])[] = [];
  return {
    planted,
    plant(field: string): string {
      const token = `ghp_${String(planted.length).padStart(3, "0")}${"aB3dE6gH9".repeat(4)}`.slice(0, 40);
      planted.push([field, token]);
      return token;
    },
  };
}

const { planted, plant } = planter();
const base = {
  description: "d",
  inputSchema: { type: "object" },
  requires: { capabilities: ["x.y"] },
} as const;
const none = { ...base, mode: "read" as const, effects: () => [] };

const TOOLS = [
  defineTool({
    ...none,
    name: "asks",
    async execute(_args, context) {
      return context.ask([
        {
          question: `Use ${plant("question")}?`,
          header: plant("header"),
          options: [{ label: plant("option") }, { label: "b", description: plant("description") }],
        },
      ]);
    },
  }),
  defineTool({
    ...none,
    name: "tells",
    execute(_args, context) {
      context.progress(plant("progress"));
      context.update({ [plant("key of an update")]: plant("update") });
      return { [plant("key of a result")]: [plant("result")] };
    },
  }),
  defineTool({
    ...none,
    name: "throws",
    execute() {
      const error = new Error(plant("error"), { cause: new Error(plant("cause")) });
      error.name = plant("name of an error");
      throw error;
    },
  }),
  defineTool({
    ...none,
    name: "fails",
    execute() {
      throw new ToolFailure(plant("code").replaceAll(/\W/g, ""), plant("failure"), { hint: plant("hint") });
    },
  }),
  defineTool({
    ...base,
    name: "breaks",
    effects() {
      throw new Error(plant("error of its effects"));
    },
    execute: () => "never",
  }),
  defineTool({
    ...base,
    name: "acts",
    effects: () => [{ ...effect("x.y", plant("target")), note: plant("note") }],
    deriveApprovalKey: () => plant("approval key"),
    execute: () => "done",
  }),
  defineTool({
    ...base,
    name: "approved",
    effects: () => [{ ...effect("x.y", "t"), note: plant("note of an approved call") }],
    execute: () => "done",
  }),
  defineTool({ ...none, name: "observed", execute: () => "done" }),
  defineTool({ ...none, name: "gated", execute: () => "done" }),
  defineTool({ ...none, name: "skipped", execute: () => "done" }),
];

const ANSWERS: readonly (() => ApprovalAnswer)[] = [
  () => ({ verdict: "reject", message: plant("words of a reject"), by: plant("by of a reject") }),
  () => ({ verdict: "once", by: plant("by of a once") }),
  () => ({ verdict: "edit", arguments: { v: plant("edited argument") }, by: plant("by of an edit") }),
  () => {
    throw new Error(plant("error of an approver"));
  },
  () => ({
    verdict: "rules",
    rules: [{ permission: "x.y", action: "allow", because: plant("because") }],
    by: plant("by of rules"),
  }),
];

function approver(): Approver {
  let asked = 0;
  return {
    async approve() {
      asked += 1;
      return (ANSWERS[asked - 1] ?? (() => ({ verdict: "once" as const })))();
    },
    async answer() {
      return [[plant("answer")]];
    },
  };
}

test("a secret in any field that others fill is written to no journal and shown in no stream", async () => {
  const journal = memoryJournal();
  const session = await createSession({
    journal,
    tools: TOOLS,
    principal: { user: plant("user"), role: plant("role") },
    observers: [
      {
        name: plant("name of an observer"),
        onBeforeTool() {
          throw new Error(`cannot ship {"token":"${plant("error of an observer")}"}`);
        },
        async onAfterTool() {
          throw plant("rejection of an observer");
        },
        afterExecution() {
          throw new Error(plant("error after an execution"));
        },
      },
    ],
    gates: [
      {
        name: plant("name of a gate"),
        before({ toolName }) {
          if (toolName === "gated") throw new Error(plant("error of a gate"));
          return toolName === "skipped" ? { skip: plant("skip") } : true;
        },
      },
    ],
    approver: approver(),
  });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of session.events()) seen.push(JSON.stringify(event));
  })();
  for (const [index, { name }] of TOOLS.entries())
    await session.call({
      id: `c${index}`,
      name,
      arguments: { [plant("key")]: plant(`argument of ${name}`) },
    });
  for (let index = 0; index < ANSWERS.length; index += 1)
    await session.call({ id: `a${index}`, name: "approved", arguments: { n: index } });
  await session.call({ id: plant("call id"), name: "observed", arguments: {} });
  await session.call({ id: "u1", name: plant("unknown tool"), arguments: {} });
  await session.call({ id: "u2", name: "observed", arguments: `{"a": "${plant("broken JSON")}"` as never });
  await session.run([{ id: "b", name: plant("unknown tool in a batch"), arguments: {} }]);
  await expect(
    session.call({ id: "t", name: "observed", arguments: {} }, { id: plant("turn id") }),
  ).rejects.toMatchObject({ code: "invalid_option" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await session.close();
  await watching;
  const written = (await Array.fromAsync(journal.read())).map((event) => JSON.stringify(event)).join("\n");
  const left = (text: string) => planted.filter(([, token]) => text.includes(token)).map(([field]) => field);
  expect(planted.length).toBeGreaterThan(60);
  expect(left(written)).toEqual([]);
  expect(left(seen.join("\n"))).toEqual([]);
  for (const type of ["observer-fail", "approval-answer", "rule-add", "question-answer", "tool-crash"])
    expect(written).toContain(`"type":"${type}"`);
});

test("a session whose id holds a secret is not opened: its events could not be told from others", async () => {
  await expect(createSession({ id: `s-${plant("session id")}` })).rejects.toMatchObject({
    code: "invalid_option",
  });
});
