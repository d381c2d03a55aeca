import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Agent, createAgent } from "@toolkeep/ai";
import { defineTool } from "@toolkeep/core";
import { type ModelMessage, streamText, type ToolSet, tool } from "ai";
import { z } from "zod";
import { scriptedSteps } from "./loop/scripted-steps.ts";
import { evaluate, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

/**
 * What the loop of an agent costs over bare `streamText` with the same scripted model: the same steps, calls and
 * conversation. And what sessions hold in memory, idle and waiting for an approval.
 */
const options = readOptions();
const STEPS = 20;
const rounds = options.quick ? 9 : 60;
/** Fast for a model, and slow for a computer. */
const MODEL_MS = 20;
const SESSIONS = 1000;

const inputSchema = z.object({ text: z.string() });
const echo = defineTool({
  ...{ name: "echo", description: "Says it again.", inputSchema, requires: {} },
  execute: async ({ text }) => text,
});
const bareTools: ToolSet = { echo: tool({ description: "Says it again.", inputSchema }) };

const at = { once: await measured(0), slow: await measured(MODEL_MS) };
const memory = await memoryPerSession();

printReport(
  {
    name: "bench:loop",
    goals: [
      evaluate(
        "step of an agent / step of streamText, model that answers at once",
        medianRatio(at.once.agent, at.once.bare),
        "<= 1.1",
      ),
      evaluate(
        `step of an agent / step of streamText, model of ${MODEL_MS} ms`,
        medianRatio(at.slow.agent, at.slow.bare),
        "<= 1.1",
      ),
      evaluate("KB per parked session", memory.parked, "<= 50"),
    ],
    figures: [
      ...[
        { model: "answers at once", ...at.once },
        { model: `takes ${MODEL_MS} ms`, ...at.slow },
      ].flatMap(({ model, agent, bare }) => [
        { name: `streamText, model ${model}`, "µs/step": rounded(median(bare)), "x streamText": 1 },
        {
          name: `createAgent, model ${model}`,
          "µs/step": rounded(median(agent)),
          "x streamText": rounded(medianRatio(agent, bare)),
        },
      ]),
      { name: `idle session, of ${SESSIONS}`, KB: memory.idle },
      { name: `parked session, of ${SESSIONS}`, KB: memory.parked },
    ],
  },
  options,
);

/** Microseconds per step, one round of each after the other. */
async function measured(delayMs: number): Promise<{ readonly bare: number[]; readonly agent: number[] }> {
  const times = { bare: [] as number[], agent: [] as number[] };
  const warm = delayMs === 0 ? 10 : 1;
  for (let round = -warm; round < rounds; round += 1) {
    if (round % 5 === 0) progress(`model of ${delayMs} ms, round ${round} of ${rounds}`);
    const bare = await bareRun(delayMs);
    const agent = await agentRun(delayMs);
    if (round < 0) continue;
    times.bare.push(bare / STEPS);
    times.agent.push(agent / STEPS);
  }
  return times;
}

/** A loop as one would write it by hand. */
async function bareRun(delayMs: number): Promise<number> {
  const model = scriptedSteps(STEPS, delayMs);
  const messages: ModelMessage[] = [{ role: "user", content: "Work." }];
  const begun = performance.now();
  for (let isOver = false; !isOver; ) {
    const result = streamText({ model, tools: bareTools, messages });
    const calls: { readonly toolCallId: string; readonly input: { readonly text: string } }[] = [];
    for await (const part of result.stream)
      if (part.type === "tool-call") calls.push(part as (typeof calls)[number]);
    messages.push(...(await result.responseMessages));
    for (const { toolCallId, input } of calls) {
      const output = { type: "text" as const, value: input.text };
      messages.push({
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "echo", output }],
      });
    }
    isOver = calls.length === 0;
  }
  return (performance.now() - begun) * 1000;
}

async function agentRun(delayMs: number): Promise<number> {
  const model = scriptedSteps(STEPS, delayMs);
  await using agent = await createAgent({ model, tools: [echo], policy: ["allow echo"] });
  const begun = performance.now();
  for await (const event of agent.run("Work."))
    if (event.type === "end" && (event.reason !== "done" || event.steps !== STEPS))
      throw new Error(`The run ended with ${event.reason} after ${event.steps} steps: ${event.error}`);
  return (performance.now() - begun) * 1000;
}

/** Kilobytes of heap for each of many agents in one process, all at work at once. */
async function memoryPerSession(): Promise<{ readonly idle: number; readonly parked: number }> {
  progress(`${SESSIONS} sessions`);
  const warm = await manyAgents(10);
  await Promise.all(warm.map(park));
  const before = heapKilobytes();
  const agents = await manyAgents(SESSIONS);
  const idle = heapKilobytes();
  const reasons = await Promise.all(agents.map(park));
  const parked = heapKilobytes();
  const waiting = reasons.filter((reason) => reason === "waiting").length;
  if (waiting !== SESSIONS) throw new Error(`Only ${waiting} of ${SESSIONS} sessions wait for an approval.`);
  await Promise.all([...warm, ...agents].map((agent) => agent.close()));
  return { idle: rounded((idle - before) / SESSIONS), parked: rounded((parked - before) / SESSIONS) };
}

function manyAgents(count: number): Promise<Agent[]> {
  return Promise.all(
    Array.from({ length: count }, () =>
      createAgent({
        model: scriptedSteps(2, 0),
        tools: [echo],
        policy: ["ask echo"],
        approver: async () => "later",
      }),
    ),
  );
}

async function park(agent: Agent): Promise<string> {
  let reason = "";
  for await (const event of agent.run("Work.")) if (event.type === "end") ({ reason } = event);
  return reason;
}

function heapKilobytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed / 1024;
}
