import { createRegistry, defineTool, type Tool, ToolFailure } from "@toolkeep/core";
import { mcp } from "@toolkeep/core/formats";
import { createSessionWithPorts as createSession, memoryJournal } from "@toolkeep/core/internal";
import { expect, test } from "vitest";

const SOUNDS_LIKE_READING = ["get_and_lock", "list_and_purge", "read_inbox_and_mark_seen", "search_and_book"];
const base = { description: "x", inputSchema: { type: "object" }, requires: {} } as const;

function named(name: string, spec: Partial<Tool> = {}): Tool {
  return defineTool({ ...base, ...spec, name, execute: () => 1 } as Parameters<typeof defineTool>[0]) as Tool;
}

test("[reading 1.5] a name that sounds like reading does not make a tool idempotent; a declared mode does", () => {
  for (const name of SOUNDS_LIKE_READING) {
    expect(named(name)).toMatchObject({ mode: "read", isModeGuessed: true, idempotent: false, gated: true });
    expect(named(name, { mode: "read" })).toMatchObject({ isModeGuessed: false, idempotent: true });
    expect(named(name, { idempotent: true })).toMatchObject({ idempotent: true });
  }
});

test("[reading 1.5] what is made from a tool knows no more of its mode than that one", () => {
  const again = defineTool({ ...named("get_and_lock"), execute: () => 2 });
  expect(again).toMatchObject({ mode: "read", isModeGuessed: true, idempotent: false });
});

test("[reading 1.5] MCP clients are not told of a tool with a guessed mode that it only reads or destroys nothing", () => {
  const hintsOf = (tool: Tool) => {
    const registry = createRegistry();
    registry.register(tool);
    const [registered] = registry.list();
    return registered === undefined ? undefined : mcp.definition(registered).annotations;
  };
  expect(hintsOf(named("get_and_lock"))).toEqual({
    readOnlyHint: false,
    idempotentHint: false,
    openWorldHint: false,
  });
  expect(hintsOf(named("delete_all"))).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(hintsOf(named("look", { mode: "read" }))).toMatchObject({
    readOnlyHint: true,
    destructiveHint: false,
  });
});

test("[reading 1.5] a failure that may pass is not tried again for a tool whose name alone says that it reads", async () => {
  const runs: string[] = [];
  const failing = (name: string, spec: Partial<Tool>) =>
    defineTool({
      ...base,
      ...spec,
      name,
      execute: () => {
        runs.push(name);
        throw new ToolFailure("busy", "Busy.", { transient: true });
      },
    } as Parameters<typeof defineTool>[0]) as Tool;
  const tools = [failing("get_and_lock", {}), failing("look", { mode: "read" })];
  const journal = memoryJournal();
  const session = await createSession({
    tools,
    journal,
    policy: ["allow get_and_lock", "allow look"],
    limits: { retry: { attempts: 3, base: 1, unitMs: 1, on: "transient" } },
  });
  for (const { name } of tools) await session.call({ id: name, name, arguments: {} });
  expect(runs).toEqual(["get_and_lock", "look", "look", "look"]);
  const intents = (await Array.fromAsync(journal.read())).filter(({ type }) => type === "step-intent");
  // What is not idempotent passes the intent gate: after a crash it is not run again.
  expect(intents).toMatchObject([{ id: "get_and_lock" }]);
  await session.close();
});

test("[reading 1.5] a guess makes calls stricter, and never looser than no guess would", async () => {
  const decided = async (name: string, spec: Partial<Tool>) => {
    const session = await createSession({ tools: [named(name, spec)] });
    const { explanation } = await session.explain({ id: "c", name, arguments: {} });
    await session.close();
    return explanation?.decision.action;
  };
  for (const name of ["frobnicate", "delete_all", "shell_out"]) expect(await decided(name, {})).toBe("ask");
  for (const name of SOUNDS_LIKE_READING) {
    for (const spec of [{}, { gated: false }, { requires: "unknown" }] as readonly Partial<Tool>[])
      expect([name, spec, await decided(name, spec)]).toEqual([
        name,
        spec,
        await decided("frobnicate", spec),
      ]);
  }
});
