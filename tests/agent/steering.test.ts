import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentEvent, createAgent } from "@toolkeep/ai";
import { openWorkspace, type Workspace } from "@toolkeep/node";
import { bashTool } from "@toolkeep/tools/authoring";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PastCall } from "./fix-script.ts";
import { type ModelServer, openModelServer } from "./model-server.ts";
import { makeSampleRepository } from "./sample-repository.ts";

const COMMANDS = [1, 2, 3].map((n) => ({ name: "bash", args: { command: `sleep 0.5; echo ${n}` } }));
/** Found again among all processes of the machine. */
const LONG = `${300 + process.pid}`;
const TREE = { name: "bash", args: { command: `sh -c 'sleep ${LONG} & sleep ${LONG}'; sleep ${LONG}` } };

describe("commands that take their time", { timeout: 60_000 }, () => {
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

  test("cancelling ends the run at once, with the processes that commands started", async () => {
    await using server = await openModelServer({ reply: () => ({ calls: [TREE] }) });
    await using agent = await agentOn(server, "parallel");
    let cancelled = 0;
    const events = await allEvents(agent, async (event) => {
      if (event.type !== "call-start") return;
      await expect.poll(sleepers).toBeGreaterThanOrEqual(2);
      cancelled = performance.now();
      agent.cancel();
    });
    const took = performance.now() - cancelled;
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "cancelled" });
    expect(cancelled).toBeGreaterThan(0);
    // A second on an idle machine; the commands themselves would take minutes.
    expect(took).toBeLessThan(10_000);
    await expect.poll(sleepers).toBe(0);
  });
});

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
