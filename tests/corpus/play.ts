import {
  createSession,
  defineTool,
  type RequirementSet,
  type Rule,
  type SessionOptions,
  type Tool,
  type ToolCall,
  type ToolResult,
} from "@toolkeep/core";
import type { Workspace } from "@toolkeep/node";
import { CANARY, type Fixture } from "./fixture.ts";
import { lookAtMachine, machineDamage } from "./machine.ts";
import type { CorpusRecord } from "./record.ts";
import { inputFor, realTools } from "./tools.ts";
import type { World } from "./world.ts";

/** One layer alone, or all of them. The sandbox alone is tried without a session. */
export type Layer = "rules" | "io" | "together";

/** What came of one record. */
export interface Played {
  /** The tool was run, or would have been where running it is left out. */
  readonly ran: boolean;
  readonly result: ToolResult;
  /** Of the call that was made then. */
  readonly after?: ToolResult;
  readonly milliseconds: number;
  /** What is wrong with the world. */
  readonly damage: readonly string[];
}

export interface MatchedBy {
  readonly world: World;
  readonly workspace: Workspace;
  /** A call to be made after the record's own, in the same session. */
  readonly then?: ToolCall;
}

const EVERYTHING: readonly Rule[] = [{ permission: "*", pattern: "**", action: "allow" }];
const ANYWHERE: RequirementSet = {
  fs: { read: ["/**"], write: ["/**"] },
  net: { hosts: ["*"] },
  capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "package.publish"],
};
const LONGEST = 4_000;
/** What is allowed comes to its end, also on a slow machine. */
const PATIENCE = 60_000;
/** These say how much a command may take: they are run, and ended by a limit or the clock. */
const LIMITED: ReadonlySet<string> = new Set(["I011", "I012", "I013"]);

/** Plays a record with one layer, or with all of them, without an approver. */
export async function play(
  record: CorpusRecord,
  layer: Layer,
  fixture: Fixture,
  { world, workspace, then }: MatchedBy,
): Promise<Played> {
  world.turnTo(record);
  world.hits();
  let ran = false;
  const ports = workspace.sessionOptions();
  ports.redactor.add("declared", CANARY);
  const hosts = record.setup.manifest?.net?.hosts ?? ["*"];
  const tools = realTools(hosts, world.searchUrl).map((tool) =>
    watched(tool, isRun(record, layer), layer, () => {
      ran = true;
    }),
  );
  const session = await createSession({
    ...ports,
    tools,
    policy: policyFor(record, layer),
    ...(record.setup.workspace === null ? { variables: {} } : {}),
    limits: {
      timeoutMs: record.must.decision === "allow" ? PATIENCE : LONGEST,
      retry: { attempts: 1 },
    },
  });
  const before = lookAtMachine();
  const started = performance.now();
  const input = inputFor(record.tool, world.placed(fixture.place(record.input)));
  const result = await session.call({ id: "c", name: record.tool, arguments: input });
  const milliseconds = performance.now() - started;
  const after = then === undefined ? undefined : await session.call(then);
  await session.close();
  const damage = [...damageOf(fixture, world, result), ...(await machineDamage(before))];
  return { ran, result, milliseconds, damage, ...(after === undefined ? {} : { after }) };
}

/** What is wrong with the world after a record. */
function damageOf(fixture: Fixture, world: World, result: ToolResult): readonly string[] {
  return [
    ...fixture.damage(),
    ...(world.hits() > 0 ? ["the internal server was reached"] : []),
    ...(JSON.stringify(result).includes(CANARY) ? ["the canary came out"] : []),
  ];
}

/** Whether the tool really acts. A layer alone decides; what would destroy what it reaches is decided in any case. */
function isRun({ group, id, tool }: CorpusRecord, layer: Layer): boolean {
  if (layer === "rules") return false;
  if (tool === "bash" && layer === "io") return false;
  return group !== "shell-intent" || LIMITED.has(id);
}

function policyFor({ setup }: CorpusRecord, layer: Layer): NonNullable<SessionOptions["policy"]> {
  if (layer === "io") return { rules: EVERYTHING, builtIn: "off" };
  const rules = setup.rules?.map(([permission, pattern, action]) => ({ permission, pattern, action }));
  return { rules: rules ?? EVERYTHING };
}

/** The same tool, which says that it was run. With rules alone it may need anything, so that they alone decide. */
function watched(tool: Tool, acts: boolean, layer: Layer, onRun: () => void): Tool {
  return defineTool({
    ...tool,
    ...(layer === "rules" ? { requires: ANYWHERE } : {}),
    execute(args, ctx) {
      onRun();
      return acts ? tool.execute(args, ctx) : "decided only";
    },
  }) as Tool;
}
