import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentEvent, createAgent } from "@toolkeep/ai";
import { openWorkspace, type Workspace } from "@toolkeep/node";
import { bashTool } from "@toolkeep/tools/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PastCall } from "./fix-script.ts";
import { type ModelServer, openModelServer } from "./model-server.ts";
import { makeSampleRepository } from "./sample-repository.ts";

const COMMANDS = [1, 2, 3].map((n) => ({ name: "bash", args: { command: `sleep 0.5; echo ${n}` } }));
/** Found again among all processes of the machine. */
const LONG = `${300 + process.pid}`;
const TREE = `sh -c 'sleep ${LONG} & sleep ${LONG}'; sleep ${LONG}`;
/** None of its processes ends when it is asked to. */
const STUBBORN = `trap '' TERM; ${TREE}`;
/** The goal is a second; a slow machine is given more, and the commands would go on for minutes. */
const WITHIN_MS = process.env["TOOLKEEP_RUNS"] === undefined ? 10_000 : 1_000;
/** A busy machine may hold up one of them, not all. */
const ATTEMPTS = 5;

describe("commands that take their time", () => {
  let base: ReturnType<typeof mkdtempDisposableSync>;
  let workspace: Workspace;
  beforeAll(async () => {
    base = mkdtempDisposableSync(join(tmpdir(), "agent-steering-"));
    workspace = await openWorkspace({
      roots: [makeSampleRepository(base.path)],
      sidecars: join(base.path, "sidecars"),
    });
  });
  afterAll(async () => {
    await workspace.close();
    base[Symbol.dispose]();
  });

  async function agentOn(server: ModelServer, strategy: "sequential" | "parallel" | { batched: number }) {
    return createAgent({
      ...{ workspace, strategy, tools: [bashTool()], policy: ["allow *"] },
      model: { name: "scripted", baseUrl: server.baseUrl },
    });
  }

  test.each([
    { strategy: "sequential", ends: ["ok", "skipped", "skipped"] },
    { strategy: { batched: 2 }, ends: ["ok", "ok", "skipped"] },
    { strategy: "parallel", ends: ["ok", "ok", "ok"] },
  ] as const)(
    "a message skips what has not begun and interrupts nothing: $strategy",
    async ({ strategy, ends }) => {
      const told: (readonly PastCall[])[] = [];
      await using server = await openModelServer({
        reply(past) {
          told.push(past);
          return past.length === 0 ? { calls: COMMANDS } : { text: "Stopped." };
        },
      });
      await using agent = await agentOn(server, strategy);
      const events = await allEvents(agent, (event) => {
        if (event.type === "call-start" && event.callId.endsWith("-0")) agent.steer("Do the other thing.");
      });
      const results = new Map(
        events.flatMap((event) => (event.type === "result" ? [[event.result.callId, event.result]] : [])),
      );
      expect(["c1-0", "c1-1", "c1-2"].map((id) => results.get(id)?.failure?.code ?? "ok")).toEqual(ends);
      // The model has a result for each of its calls, and the message after them.
      expect(told[1]?.map(({ result }, index) => (result.includes(`${index + 1}`) ? "ok" : "other"))).toEqual(
        ends.map((end) => (end === "ok" ? "ok" : "other")),
      );
      expect(told[1]?.every(({ result }) => result !== "")).toBe(true);
      expect(events).toContainEqual({ type: "message", step: 2, text: "Do the other thing." });
      expect(events.at(-1)).toMatchObject({ type: "end", reason: "done", text: "Stopped." });
    },
  );

  test.each([
    ["that end when they are asked to", TREE],
    ["that do not", STUBBORN],
  ])(
    `cancelling ends the run within ${WITHIN_MS / 1_000} s, with the processes of commands %s`,
    async (_which, command) => {
      const times: number[] = [];
      while (times.length < ATTEMPTS && !times.some((took) => took < WITHIN_MS)) {
        await using server = await openModelServer({
          reply: () => ({ calls: [{ name: "bash", args: { command } }] }),
        });
        await using agent = await agentOn(server, "parallel");
        times.push(await timeToCancel(agent));
      }
      expect(Math.min(...times), `ms of each attempt: ${times.join(", ")}`).toBeLessThan(WITHIN_MS);
    },
  );
});

/** From the cancellation to the end of the run and of every process, whichever is later. */
async function timeToCancel(agent: Agent): Promise<number> {
  let begun = 0;
  let gone: Promise<number> | undefined;
  const events = await allEvents(agent, async (event) => {
    if (event.type !== "call-start") return;
    await expect.poll(sleepers).toBeGreaterThanOrEqual(2);
    begun = performance.now();
    agent.cancel();
    gone = noSleepers();
  });
  const ended = performance.now();
  expect(events.at(-1)).toMatchObject({ type: "end", reason: "cancelled" });
  if (gone === undefined) throw new TypeError("No call was made.");
  return Math.max(ended, await gone) - begun;
}

/** When none of the long commands was left. */
async function noSleepers(): Promise<number> {
  await expect.poll(sleepers, { interval: 10 }).toBe(0);
  return performance.now();
}

async function allEvents(
  agent: Agent,
  look: (event: AgentEvent) => void | Promise<void>,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run("Work.")) {
    events.push(event);
    await look(event);
  }
  return events;
}

/** How many of the long commands are running on this machine. */
function sleepers(): number {
  return readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8") === `sleep\0${LONG}\0`;
    } catch {
      return false;
    }
  }).length;
}
