import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentDefinition, createAgent } from "@toolkeep/ai";
import { memoryStore, type SessionStore, type Tool } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { call, endOf, modelOf } from "./scripted-agents.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-subagents-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scout: AgentDefinition = {
  ...{ name: "scout", description: "Looks around.", instructions: "You are the scout.", tools: ["reader"] },
};

/** Counts how often each agent is asked for each step, in all lives of the run. */
function world(input: object = {}) {
  const steps: string[] = [];
  const read = stubTool("reader", () => "read", {
    requires: { fs: { read: ["/**"] } },
    effects: (args) => [fsRead(String(args["path"]))],
  });
  const { model } = modelOf(({ system, step }) => {
    const isScout = system.includes("You are the scout.");
    steps.push(`${isScout ? "scout" : "root"} ${step}`);
    if (isScout) return step === 0 ? [call("in", "reader", { path: "/a" })] : "I saw it.";
    if (step === 0) return [call("out", "task", { prompt: "Look.", subagent_type: "scout", ...input })];
    return "All is well.";
  });
  const options = (store: SessionStore, approver?: ReturnType<typeof scriptedApprover>) => ({
    ...{ id: "root", store, model, tools: [taskTool() as Tool, read.tool], agents: [scout] },
    policy: ["ask fs.read /**"],
    ...(approver === undefined ? {} : { approver }),
  });
  return { steps, read, options };
}

describe("a child that waits for a person", () => {
  test.each([
    ["in memory", () => memoryStore()],
    ["on disk", () => openSqliteStore({ path: join(folder, "store") })],
  ] as const)("waits with its parent, and both continue from the store alone: %s", async (_where, open) => {
    const { steps, read, options } = world();
    await using store = await open();
    const agent = await createAgent(options(store, scriptedApprover("later")));
    const end = await endOf(agent.run("Look around."));
    expect(end).toMatchObject({ reason: "waiting", requests: [{ toolName: "reader", agents: ["scout"] }] });
    await agent.leave();

    const [request] = await store.waiting();
    expect(request?.request.sessionId).toMatch(/^root\./);
    if (request === undefined) throw new TypeError("Nothing waits.");
    // Both wait: there is nothing to resume.
    expect(await store.unfinished(10)).toEqual([]);
    // Before there is an answer it waits again, and nothing is asked twice.
    const early = await createAgent(options(store, scriptedApprover("later")));
    expect(await endOf(early.resume())).toMatchObject({ reason: "waiting" });
    await early.leave();

    await store.answer(request.request, { verdict: "once" });
    expect(await store.unfinished(10)).toContainEqual({ sessionId: "root", turn: "run-1" });
    await using later = await createAgent(options(store));
    expect(await endOf(later.resume())).toMatchObject({ reason: "done", text: "All is well." });
    expect(read.executed).toHaveLength(1);
    expect(steps).toEqual(["root 0", "scout 0", "scout 1", "root 1"]);
  });

  test("in the background makes its parent wait too", async () => {
    const { steps, read, options } = world({ background: true });
    await using store = memoryStore();
    const agent = await createAgent(options(store, scriptedApprover("later")));
    const end = await endOf(agent.run("Look around."));
    expect(end).toMatchObject({ reason: "waiting", requests: [{ toolName: "reader", agents: ["scout"] }] });
    await agent.leave();
    const [request] = await store.waiting();
    if (request === undefined) throw new TypeError("Nothing waits.");
    await store.answer(request.request, { verdict: "once" });
    await using later = await createAgent(options(store));
    expect(await endOf(later.resume())).toMatchObject({ reason: "done" });
    expect(read.executed).toHaveLength(1);
    expect(steps.filter((one) => one.startsWith("scout"))).toEqual(["scout 0", "scout 1"]);
    // It has reported once, and reports no second time.
    expect(steps.filter((one) => one.startsWith("root"))).toEqual(["root 0", "root 1", "root 2"]);
  });
});

test("an agent leaves while its child works, and both go on in another process", async () => {
  const { steps, read, options } = world();
  await using store = memoryStore();
  const asked = Promise.withResolvers<void>();
  const approver = {
    approve() {
      asked.resolve();
      return new Promise<never>(() => {});
    },
  };
  const agent = await createAgent({ ...options(store), approver });
  const running = endOf(agent.run("Look around."));
  await asked.promise;
  await agent.leave();
  expect(await running).toMatchObject({ reason: "waiting" });
  const [request] = await store.waiting();
  if (request === undefined) throw new TypeError("Nothing waits.");
  await store.answer(request.request, { verdict: "once" });
  await using later = await createAgent(options(store));
  expect(await endOf(later.resume())).toMatchObject({ reason: "done" });
  expect(read.executed).toHaveLength(1);
  expect(steps).toEqual(["root 0", "scout 0", "scout 1", "root 1"]);
});

describe("a process that is killed while a child works", () => {
  const asked = () => {
    const path = join(folder, "asked");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  };

  function live(kind: string): ChildProcess {
    const program = join(import.meta.dirname, "crashing-agent.ts");
    const args = [...FROM_SOURCE, program, folder, kind];
    return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  }

  async function isInChild(process: ChildProcess): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (!asked().includes("in the child")) {
      if (process.exitCode !== null || performance.now() > deadline)
        throw new Error("The child did not begin.");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test.each(["waited", "background"])(
    "is followed by one that continues the child and runs none anew: %s",
    async (kind) => {
      const first = live(kind);
      await isInChild(first);
      // In the background, the parent has asked its model again meanwhile or not: both must go well.
      first.kill("SIGKILL");
      await once(first, "exit");
      for (const name of ["go", "resume"]) writeFileSync(join(folder, name), "");
      const second = live(kind);
      let told = "";
      second.stdout?.on("data", (data: Buffer) => {
        told += data.toString();
      });
      const [code] = await once(second, "close");
      expect({ code, told: JSON.parse(told || "{}") }).toMatchObject({
        code: 0,
        told: { reason: "done", text: "All is well." },
      });
      const scout = asked().filter((line) => line.startsWith("scout"));
      expect(scout).toEqual(["scout 0", "scout 1"]);
      // The reply of the first step of the root is paid for; a later one may have been cut off while it was asked for.
      expect(asked().filter((line) => line === "root 0")).toHaveLength(1);
      await using store = await openSqliteStore({ path: join(folder, "store") });
      expect(await store.unfinished(10)).toEqual([]);
    },
  );
});
