import { tool } from "@openai/agents";
import { createRegistry, createSession, type Session } from "@toolkeep/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { fromOpenAiAgents } from "./openai-agents.ts";

const parameters = z.object({ invoice: z.string() });
const named = (name: string, execute: () => string, isEnabled?: () => boolean) =>
  tool({ name, description: name, parameters, execute, ...(isEnabled === undefined ? {} : { isEnabled }) });

async function open(one: ReturnType<typeof named>, withWatchdog: boolean): Promise<Session> {
  const { tools, watchdog } = await fromOpenAiAgents([one as never]);
  const registry = createRegistry();
  for (const made of tools) registry.register(made, { origin: { layer: "code", source: "ai-sdk" } });
  const rules = [{ permission: "*", action: "allow" as const }];
  return createSession({ registry, policy: { rules, watchdogs: withWatchdog ? [watchdog] : [] } });
}

const call = (name: string) => ({ id: "call_1", name, arguments: { invoice: "A-1" } });

test.each([true, false])("a disabled tool does not run, with the watchdog: %s", async (withWatchdog) => {
  let isOn = false;
  let runs = 0;
  const pay = named(
    "pay",
    () => {
      runs += 1;
      return "paid";
    },
    () => isOn,
  );
  const session = await open(pay, withWatchdog);
  const off = await session.call(call("pay"));
  expect(off.failure).toMatchObject({ message: expect.stringContaining("is disabled by") });
  expect(runs).toBe(0);
  isOn = true;
  expect((await session.call({ ...call("pay"), id: "call_2" })).ok).toBe(true);
});

test("a tool that throws has failed, although the library returns a text", async () => {
  const broken = named("broken", () => {
    throw new Error("the bank is closed");
  });
  const session = await open(broken, true);
  const result = await session.call(call("broken"));
  expect(result).toMatchObject({ ok: false, failure: { code: "tool_failed" } });
});

test("the source is not accessible, so no code hash is claimed", async () => {
  const { tools } = await fromOpenAiAgents([
    named("one", () => "1") as never,
    named("two", () => "2") as never,
  ]);
  expect(tools.map(({ codeHash }) => codeHash)).toEqual([undefined, undefined]);
});
