import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import type { SessionStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { cutStore, openCut } from "./cut-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-given-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const MESSAGES = ["Use tabs.", `And the token ${SECRET}.`, "Be quick."] as const;

const REDACTED = "[redacted:github-token]";

type Mode = "one" | "all";

/** An agent that makes three calls, one after the other, and what its model was asked. */
async function agentOn(
  store: SessionStore,
  steering: Mode,
  onWork: (n: number) => void | Promise<void> = () => {},
) {
  const { model, asked } = modelOf(({ step }) =>
    step < 3 ? [call(`${step}`, "work", { n: step })] : "Done.",
  );
  const work = stubTool("work", async ({ n }) => {
    await onWork(Number(n));
    return "worked";
  });
  const options = { id: "a", store, model, tools: [work.tool], policy: ["allow work"], steering };
  return { agent: await createAgent(options), asked };
}

/** How often the model has seen each message, in its last question. */
function seen(asked: readonly { readonly prompt: string }[]): readonly number[] {
  const last = asked.at(-1)?.prompt ?? "";
  return MESSAGES.map((text) => last.split(text).length - 1);
}

test.each([
  ["the user says to", "all"],
  ["the user says to", "one"],
  ["another process leaves for", "all"],
  ["another process leaves for", "one"],
] as const)("what %s a run is seen once, wherever the process is killed: %s", async (who, steering) => {
  await using whole = cutStore(folder);
  /** How many messages were given before each copy was made. */
  const given: number[] = [];
  let count = 0;
  const note = () => {
    while (given.length < whole.cuts.length) given.push(count);
  };
  const { agent, asked } = await agentOn(whole.store, steering, async (n) => {
    if (n !== 0) return;
    for (const text of MESSAGES) {
      note();
      count += 1;
      if (who === "the user says to") agent.steer(text);
      else await whole.store.sendMessage("a", { text });
    }
    note();
  });
  expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "done" });
  note();
  expect(seen(asked)).toEqual([1, 1, 1]);
  await agent.leave();

  let resumed = 0;
  for (const [index, path] of whole.cuts.slice(0, given.length).entries()) {
    if (given[index] === 0) continue;
    await using store = await openCut(path);
    const isUnfinished = (await store.unfinished(1)).length > 0;
    const life = await agentOn(store, steering);
    if (isUnfinished) {
      expect(await endOf(life.agent.resume())).toMatchObject({ reason: "done", text: "Done." });
      // A reply that an earlier life kept saw the messages before it; the last one need not be asked for again.
      if (life.asked.length > 0) {
        const expected = MESSAGES.map((_text, n) => (n < (given[index] ?? 0) ? 1 : 0));
        expect(seen(life.asked), `${path}, given ${given[index]}`).toEqual(expected);
        resumed += 1;
      }
    }
    // Nor does the next run see them again.
    if (given[index] === MESSAGES.length && who !== "the user says to") {
      expect(await endOf(life.agent.run("Go on."))).toMatchObject({ reason: "done" });
      const shown = seen(life.asked.map(({ prompt }) => ({ prompt: prompt.replaceAll(REDACTED, SECRET) })));
      expect(shown, path).toEqual([1, 1, 1]);
      expect(await store.takeMessages("a")).toEqual([]);
    }
    await life.agent.leave();
  }
  expect(resumed).toBeGreaterThan(MESSAGES.length);
  expect(new Set(given).size).toBe(MESSAGES.length + 1);
});

test("a message that is given while the run waits is there when another process continues it", async () => {
  await using store = openSqliteStore({ path: folder });
  const { model, asked } = modelOf(({ step }) => (step === 0 ? [call("1", "risky")] : "Done."));
  const risky = stubTool("risky");
  const options = { id: "a", store, model, tools: [risky.tool], policy: ["ask risky"] };
  const agent = await createAgent({ ...options, approver: { approve: async () => "later" as const } });
  expect(await endOf(agent.run("Do it."))).toMatchObject({ reason: "waiting" });
  agent.steer("Use tabs.");
  await agent.leave();
  for (const { request } of await store.waiting()) await store.answer(request, { verdict: "once" });
  await using later = await createAgent(options);
  expect(await endOf(later.resume())).toMatchObject({ reason: "done" });
  expect(seen(asked)).toEqual([1, 0, 0]);
  expect(await store.pending.get("a/run-1/s0")).toBeUndefined();
});
