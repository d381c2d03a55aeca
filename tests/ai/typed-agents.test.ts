import { type Agent, type AgentEvent, createAgent } from "@toolkeep/ai";
import { createSession, defineTool, type Session, type Tool } from "@toolkeep/core";
import { openWorkspace } from "@toolkeep/node";
import { codeTools, standardTools } from "@toolkeep/tools";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { call } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import type { CallResult } from "../../packages/core/src/contract/call/result.ts";

const base = { description: "The weather.", requires: {}, mode: "read" } as const;
const weather = defineTool({
  ...{ ...base, name: "weather" },
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: () => ({ celsius: 14 }),
});
const rain = defineTool({
  ...{ ...base, name: "rain" },
  inputSchema: z.object({ day: z.number() }),
  execute: () => "dry",
});
const others: readonly Tool[] = [];
type Weather = CallResult<{ celsius: number }>;

/** What holds for every session in which the compiler knows `weather` among tools that it does not know. */
async function checkMixed(session: { readonly call: Session<readonly [...Tool[], typeof weather]>["call"] }) {
  const result = await session.call("weather", { city: "Oslo" });
  expectTypeOf(result).toEqualTypeOf<Weather>();
  if (result.ok) expectTypeOf(result.data).toEqualTypeOf<{ celsius: number }>();
  // @ts-expect-error: city is a string
  await session.call("weather", { city: 1 });
  // @ts-expect-error: city is missing
  await session.call("weather", {});
  const other = await session.call("read", { path: "nothing" });
  expectTypeOf(other).toEqualTypeOf<CallResult>();
  const named = await session.call("weather" as string, { anything: true });
  expectTypeOf(named).toEqualTypeOf<CallResult>();
  return result;
}

test("calls have the types of a tool of one's own among others, wherever it stands", async () => {
  await using first = await createSession({ tools: [weather, ...standardTools()], policy: ["allow *"] });
  await using last = await createSession({
    tools: [...codeTools(), ...others, weather],
    policy: ["allow *"],
  });
  await using between = await createSession({ tools: [...standardTools(), weather, ...others] });
  for (const session of [first, last, between])
    expect(await checkMixed(session)).toMatchObject({ ok: true, data: { celsius: 14 } });
  // Where a session is taken, all of them are.
  expectTypeOf(first).toExtend<Session>();
  expectTypeOf(last).toExtend<Session>();
});

test("two tools of one's own keep their types apart", async () => {
  await using session = await createSession({ tools: [...others, weather, rain] });
  expectTypeOf(await session.call("weather", { city: "Oslo" })).toEqualTypeOf<Weather>();
  expectTypeOf(await session.call("rain", { day: 1 })).not.toEqualTypeOf<Weather>();
  // @ts-expect-error: the arguments of another tool
  await session.call("rain", { city: "Oslo" });
});

test("without a known name everything is typed as unknown", async () => {
  await using session = await createSession({ tools: others });
  expectTypeOf(await session.call("weather", { city: 1 })).toEqualTypeOf<CallResult>();
  expectTypeOf(session).toExtend<Session>();
});

test("an agent, its session and its events know the tools", async () => {
  const { model } = scriptedModel([[call("1", "weather", { city: "Oslo" })], "Mild."]);
  await using agent = await createAgent({ model, tools: [weather], policy: ["allow *"] });
  expectTypeOf(agent).toExtend<Agent>();
  expectTypeOf(await agent.session.call("weather", { city: "Oslo" })).toEqualTypeOf<Weather>();
  // @ts-expect-error: no tool has this name
  await agent.session.call("wether", { city: "Oslo" });
  const seen: number[] = [];
  for await (const event of agent.run("Weather?")) {
    expectTypeOf(event).toExtend<AgentEvent>();
    if (event.type !== "result" || !event.result.ok) continue;
    expectTypeOf(event.result.data).toEqualTypeOf<{ celsius: number }>();
    if (event.result.toolName === "weather") seen.push(event.result.data.celsius);
  }
  expect(seen).toEqual([14]);
});

test("an agent and a workspace know a tool of one's own among others", async () => {
  const { model } = scriptedModel([]);
  const tools = [...standardTools(), weather] as const;
  await using agent = await createAgent({ model, tools });
  expect(await checkMixed(agent.session)).toMatchObject({ ok: true });
  expectTypeOf(agent).toExtend<Agent>();
  await using workspace = await openWorkspace({ roots: [import.meta.dirname] });
  await using session = await workspace.createSession({ tools: [...standardTools(), weather] });
  expect(await checkMixed(session)).toMatchObject({ ok: true });
});
