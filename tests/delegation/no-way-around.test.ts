import { type AgentDefinition, createAgent } from "@toolkeep/ai";
import {
  createSession,
  defineTool,
  effects,
  memoryStore,
  type SessionOptions,
  type Tool,
} from "@toolkeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { call, endOf, modelOf } from "./scripted-agents.ts";

/** What agents reach for. A level can deny each by its host, by its tool, or by leaving the tool out. */
const HOSTS = ["a.example", "b.example", "c.example"] as const;
const TOOLS = ["fetch_one", "fetch_two"] as const;
const DEPTH = 3;

interface Level {
  readonly denied: readonly string[];
  /** Rules that would allow everything: they must not help. */
  readonly isGenerous: boolean;
  readonly tools: readonly string[];
  /** How it is denied: by a policy, by the ceiling of the root, or by a rule on the tool. */
  readonly deniedTools: readonly string[];
}

const level: fc.Arbitrary<Level> = fc.record({
  denied: fc.subarray([...HOSTS]),
  isGenerous: fc.boolean(),
  tools: fc.subarray([...TOOLS]),
  deniedTools: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([...TOOLS])),
});

interface Reached {
  readonly agents: readonly string[];
  readonly tool: string;
  readonly host: string;
}

/** A tool that notes which agent reached what. */
function fetching(name: string, reached: Reached[], agents: Map<string, readonly string[]>): Tool {
  return defineTool({
    ...{ name, description: "Fetches.", requires: { net: { hosts: ["*"] } }, mode: "read" },
    inputSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] } as const,
    effects: ({ host }) => [effects.fetch(host)],
    execute: ({ host }, { sessionId }) => {
      reached.push({ agents: agents.get(sessionId) ?? [], tool: name, host });
      return "fetched";
    },
  }) as Tool;
}

const rulesOf = ({ denied, deniedTools, isGenerous }: Level): readonly string[] => [
  ...(isGenerous ? ["allow net.fetch *"] : []),
  ...denied.map((host) => `deny net.fetch ${host}`),
  ...deniedTools.map((tool) => `deny ${tool}`),
];

/**
 * Runs a root and three levels of agents below it. Every agent tries everything with every tool and gives work to the next
 * one. Returns what was reached, by the agents on the way to it.
 */
async function reachedBy(
  root: Level,
  levels: readonly Level[],
  link: (options: SessionOptions) => SessionOptions = (options) => options,
): Promise<readonly Reached[]> {
  const reached: Reached[] = [];
  const agentsOf = new Map<string, readonly string[]>();
  const agents = levels.map(
    (one, index): AgentDefinition => ({
      ...{ name: `l${index + 1}`, description: "Continues.", instructions: `You are l${index + 1}.` },
      tools: ["task", ...one.tools],
      policy: rulesOf(one),
    }),
  );
  const { model } = modelOf(({ system, step }) => {
    const depth = Number(/^You are l(\d)/.exec(system)?.[1] ?? 0);
    if (step > 0) return "done";
    const tries = TOOLS.flatMap((tool) => HOSTS.map((host) => call(`${tool}-${host}`, tool, { host })));
    const next =
      depth < DEPTH ? [call("down", "task", { prompt: "Go on.", subagent_type: `l${depth + 1}` })] : [];
    return [...tries, ...next];
  });
  await using store = memoryStore();
  const workspace = {
    async createSession(options: SessionOptions = {}) {
      const session = await createSession({ ...link(options), store });
      agentsOf.set(session.id, options.parent?.agents ?? []);
      return session;
    },
  };
  await using agent = await createAgent({
    ...{ model, workspace, agents },
    tools: [taskTool() as Tool, ...TOOLS.map((name) => fetching(name, reached, agentsOf))],
    policy: ["allow net.fetch *", ...rulesOf({ ...root, isGenerous: false })],
  });
  await endOf(agent.run("Try everything."));
  return reached;
}

/** Whether an agent or one of its ancestors denies it, or has no such tool. */
function isDenied({ agents, tool, host }: Reached, root: Level, levels: readonly Level[]): boolean {
  const above = [root, ...agents.map((name) => levels[Number(name.slice(1)) - 1] as Level)];
  return above.some(
    (one, index) =>
      one.denied.includes(host) || one.deniedTools.includes(tool) || (index > 0 && !one.tools.includes(tool)),
  );
}

const three = fc.tuple(level, level, level);
const RUNS = { numRuns: 25 };

test("[C111] on no path of agents is anything reached that an ancestor denies", async () => {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(level, three, async (root, levels) => {
      const reached = await reachedBy(root, levels);
      for (const one of reached) {
        allowed += 1;
        expect(isDenied(one, root, levels), JSON.stringify(one)).toBe(false);
      }
    }),
    RUNS,
  );
  // Otherwise it would say nothing.
  expect(allowed).toBeGreaterThan(0);
});

test("without the link to the parent, agents reach what an ancestor denies", async () => {
  const open: Level = { denied: [], isGenerous: true, tools: [...TOOLS], deniedTools: [] };
  const root = { ...open, denied: ["a.example"] };
  const levels = [open, open, open];
  const withLink = await reachedBy(root, levels);
  expect(withLink.filter((one) => isDenied(one, root, levels))).toEqual([]);
  expect(Math.max(...withLink.map(({ agents }) => agents.length))).toBe(DEPTH);
  const withoutLink = await reachedBy(root, levels, ({ parent: _, ...options }) => options);
  expect(withoutLink.filter((one) => isDenied(one, root, levels)).length).toBeGreaterThan(0);
});
