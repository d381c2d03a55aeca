import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AgentEvent, createAgent } from "@toolkeep/ai";
import type { SessionStore } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allOf, call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { FROM_SOURCE } from "../from-source.ts";

const run = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-cancelled-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Another process cancels the first run of the agent. */
async function cancelElsewhere(): Promise<void> {
  const program = join(import.meta.dirname, "cancel-run.ts");
  await run(process.execPath, [...FROM_SOURCE, program, folder, "a", "run-1"]);
}

async function endsIn(store: SessionStore): Promise<readonly string[]> {
  const journal = await store.open("a");
  const ends: string[] = [];
  for await (const event of journal.read({ types: ["run-end"] }))
    if (event.type === "run-end") ends.push(event.reason);
  await journal.release();
  return ends;
}

describe("another process cancels a run", () => {
  test("while a tool works: the call and the run end, and the next run works", async () => {
    await using store = openSqliteStore({ path: folder });
    let elsewhere: Promise<void> | undefined;
    const slow = stubTool("slow", (_args, { abortSignal: signal }) => {
      elsewhere = cancelElsewhere();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const { model } = modelOf(({ step }) => (step === 0 ? [call("1", "slow")] : "As you like."));
    const options = { id: "a", store, model, tools: [slow.tool], policy: ["allow slow"] };
    const agent = await createAgent(options);
    const events = await allOf(agent.run("Work."));
    await elsewhere;
    expect(events.find(({ type }) => type === "result")).toMatchObject({
      result: { ok: false, failure: { code: "cancelled" } },
    });
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "cancelled", steps: 1 });
    expect(await endOf(agent.run("Never mind."))).toMatchObject({ reason: "done", text: "As you like." });
    await agent.leave();
    expect(await endsIn(store)).toEqual(["cancelled", "done"]);
    expect(await store.unfinished(10)).toEqual([]);
  });

  test("while the model replies", async () => {
    await using store = openSqliteStore({ path: folder });
    let elsewhere: Promise<void> | undefined;
    const { model } = modelOf((_asked, signal) => {
      elsewhere = cancelElsewhere();
      return new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    });
    await using agent = await createAgent({ id: "a", store, model });
    const events: readonly AgentEvent[] = await allOf(agent.run("Work."));
    await elsewhere;
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "cancelled", steps: 0 });
  });
});

test("a run that waits in the store, and is cancelled there, ends when it is resumed: nothing of it runs", async () => {
  await using store = openSqliteStore({ path: folder });
  const risky = stubTool("risky");
  const { model, asked } = modelOf(({ step }) => (step === 0 ? [call("1", "risky")] : "Done."));
  const options = { id: "a", store, model, tools: [risky.tool], policy: ["ask risky"] };
  const agent = await createAgent({ ...options, approver: scriptedApprover("later") });
  expect(await endOf(agent.run("Do it."))).toMatchObject({ reason: "waiting" });
  await agent.leave();
  expect(await store.unfinished(10)).toEqual([]);
  await store.cancel("a", "run-1");
  expect((await store.unfinished(10)).map(({ turn }) => turn)).toContain("run-1");
  const later = await createAgent(options);
  expect(await endOf(later.resume())).toMatchObject({ reason: "cancelled" });
  await later.leave();
  expect(risky.executed).toEqual([]);
  expect(asked).toHaveLength(1);
  expect(await store.waiting()).toEqual([]);
  expect(await store.unfinished(10)).toEqual([]);
  expect(await endsIn(store)).toEqual(["cancelled"]);
});

test("cancelling the session ends the run that is at work in it", async () => {
  await using store = openSqliteStore({ path: folder });
  const { model } = modelOf(({ step }) => (step === 0 ? [call("1", "slow")] : "Done."));
  const slow = stubTool("slow", (_args, { abortSignal: signal }) => {
    agent.session.cancel();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  await using agent = await createAgent({
    id: "a",
    store,
    model,
    tools: [slow.tool],
    policy: ["allow slow"],
  });
  expect(await endOf(agent.run("Work."))).toMatchObject({ reason: "cancelled" });
});
