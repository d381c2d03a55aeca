import { modelText } from "@toolkeep/core/formats";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { collectEvents, toolConformance } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { todoTool } from "../../packages/tools/src/session/todo-tool.ts";
import { call } from "../scenario.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TODOS = [
  { content: "Read the code", status: "completed" },
  { content: "Fix it", status: "in_progress", priority: "high" },
  { content: "Test it", status: "pending" },
];

test("[C48] a list is written whole; observers see it at once, and it is recorded", async () => {
  const session = await createSession({ tools: [todoTool()] });
  const { events, outcome } = await collectEvents(session, () =>
    session.call(call("todo", { todos: TODOS })),
  );
  expect(outcome).toMatchObject({ ok: true, data: { todos: TODOS } });
  expect(modelText(outcome)).toBe("Task list saved: 1 pending, 1 in progress, 1 completed.");
  const update = events.find(({ type }) => type === "call-update");
  expect(update).toMatchObject({ tool: "todo", partial: { todos: TODOS } });
  const write = events.find((event) => event.type === "state-write");
  expect(write?.type === "state-write" && write.value.value).toEqual({ todos: TODOS });
});

test("[C48] the list belongs to its session: it survives a restart, and another session has none", async () => {
  const at = temporaryFolder();
  const sessionId = "planned";
  const first = openSqliteStore({ path: at });
  const before = await createSession({
    ...{ id: sessionId, journal: first.journal(sessionId), pending: first.pending },
    tools: [todoTool()],
  });
  await before.call(call("todo", { todos: TODOS }));
  await first.close();

  const second = openSqliteStore({ path: at });
  const seen: unknown[] = [];
  const reading = {
    ...todoTool(),
    execute: (_: unknown, ctx: { state: { get(): unknown } }) => seen.push(ctx.state.get()),
  };
  const ports = { id: sessionId, journal: second.journal(sessionId), pending: second.pending };
  const after = await createSession({ ...ports, tools: [reading as never] });
  await after.call(call("todo", { todos: [] }, "later"));
  const other = await createSession({ tools: [reading as never] });
  await other.call(call("todo", { todos: [] }));
  expect(seen).toEqual([{ todos: TODOS }, undefined]);
  await after.close();
  await second.close();
});

test("a list too long to read is refused before anything is written", async () => {
  const session = await createSession({ tools: [todoTool()] });
  const item = { content: "x", status: "pending" };
  const refused = async (todos: unknown) => (await session.call(call("todo", { todos }))).failure?.code;
  expect(await refused(Array.from({ length: 100_000 }, () => item))).toBe("invalid_arguments");
  expect(await refused([{ ...item, content: "x".repeat(1_001) }])).toBe("invalid_arguments");
  expect(await refused([{ ...item, status: "done" }])).toBe("invalid_arguments");
  const written = [];
  for await (const { type } of session.journal.read()) written.push(type);
  expect(written).not.toContain("state-write");
});

test("[C46] it needs nothing, asks no approver, and satisfies the tool contract", async () => {
  expect(todoTool()).toMatchObject({ requires: {}, gated: false, kind: "other" });
  const examples = [{ todos: TODOS }, { todos: [] }];
  expect(await toolConformance(todoTool(), { examples, refuses: [{}, { todos: [{}] }] })).toEqual([]);
});
