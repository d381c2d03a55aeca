import { randomUUID } from "node:crypto";
import { globSync, rmSync } from "node:fs";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { evaluate, type Figure, progress } from "../../../benchmarks/src/report.ts";
import { inHome } from "../hook/shop.ts";
import { joined, type Part } from "../part.ts";
import { leavesMachine, playBugFix, type WorkStep } from "./bug-fix.ts";
import { type Difference, differenceOf, type Ended } from "./compare.ts";
import { SEARCH } from "./dry-session.ts";
import { everydayCommands } from "./everyday.ts";
import { alignTo, openRepositories, type Repositories, type Repository } from "./open-repositories.ts";
import { type LoopbackRegistry, openRegistry } from "./registry.ts";
import { runInside, runOutside } from "./run-commands.ts";

/** Works a day in real repositories with the standard tools and the sandbox, and compares it with one without. */
export async function measureWorkspace({ quick }: { readonly quick: boolean }): Promise<Part> {
  await using registry = await openRegistry();
  const repositories = openRepositories(registry);
  try {
    return await inHome(repositories, async () => {
      const parts: Part[] = [];
      for (const repository of repositories.all)
        parts.push(await everyday(repository, { ...repositories, quick, registry }));
      parts.push(await bugFix(repositories.bugFix, registry));
      const unexplained = parts.flatMap(({ figures }) =>
        figures.map((row) => Number(row["unexplained"] ?? 0)),
      );
      const total = unexplained.reduce((sum, count) => sum + count, 0);
      const goal = evaluate("workspace: differences from outside the sandbox, unexplained", total, "<= 0");
      return joined([...parts, { goals: [goal], figures: [], voids: [], unasked: [] }]);
    });
  } finally {
    repositories.remove();
  }
}

interface Around extends Repositories {
  readonly quick: boolean;
  readonly registry: LoopbackRegistry;
}

/** Every command in the sandbox and outside of it, in two copies of a repository. */
async function everyday(repository: Repository, around: Around): Promise<Part> {
  const { name, inside, outside } = repository;
  const temporary = `/tmp/day-${randomUUID()}`;
  const commands = everydayCommands(name, around).map((line) => line.replaceAll("{tmp}", temporary));
  progress(`${commands.length} everyday commands, ${name}`);
  const { session, reasons, close } = await openSession(inside, around.registry);
  const differences: Difference[] = [];
  const times: { inside: Ended; outside: Ended }[] = [];
  try {
    for (const command of commands) {
      const pair = {
        inside: await runInside(command, session),
        outside: await runOutside(command, outside, around),
      };
      times.push(pair);
      const difference = differenceOf(command, repository, pair);
      if (difference === undefined) continue;
      differences.push(difference);
      // So that the next command starts from the same state, and is not another difference for this one.
      alignTo(outside, inside, around.user);
    }
  } finally {
    await close();
    for (const name of globSync(`${temporary}*`)) rmSync(name, { force: true });
  }
  for (const one of differences) progress(differenceText(one));
  for (const [index, pair] of times.entries())
    if (pair.inside.milliseconds > SLOW_MS)
      progress(`  slow, ${Math.round(pair.inside.milliseconds)} ms: ${commands[index]}`);
  const figure: Figure = {
    name: `workspace, ${name}: everyday commands`,
    steps: commands.length,
    asked: reasons.length,
    differ: differences.length,
    unexplained: differences.filter(({ explained }) => explained === undefined).length,
    milliseconds: median(times.map((pair) => pair.inside.milliseconds)),
    "milliseconds outside": median(times.map((pair) => pair.outside.milliseconds)),
  };
  return { goals: [], figures: [figure], voids: [], unasked: [] };
}

async function bugFix(project: string, registry: LoopbackRegistry): Promise<Part> {
  progress("the bug fix, in the workspace");
  const { session, reasons, close } = await openSession(project, registry);
  const steps = await playBugFix(session, { reasons }, project).finally(close);
  const count = (outcome: WorkStep["outcome"]) => steps.filter((one) => one.outcome === outcome).length;
  for (const { name, outcome, reason } of steps)
    if (outcome !== "ran") progress(`  ${outcome.padEnd(7)} ${name}\n            ${reason.slice(0, 240)}`);
  const figure: Figure = {
    name: "workspace, typescript: bug fix",
    steps: steps.length,
    ...{ allowed: count("ran"), asked: count("asked"), denied: count("denied"), failed: count("failed") },
    interruptions: reasons.length,
    milliseconds: median(steps.map(({ milliseconds }) => milliseconds)),
  };
  const goals = [
    evaluate("workspace: interruptions in the bug fix", reasons.length, "<= 4"),
    evaluate("workspace: steps of the bug fix denied", count("denied"), "<= 0"),
  ];
  return { goals, figures: [figure], voids: [], unasked: [] };
}

/** A session whose user says yes to everything that stays on the machine. */
async function openSession(project: string, { network }: LoopbackRegistry) {
  const reasons: string[] = [];
  const workspace = await openWorkspace({ roots: [project], network });
  const session = await workspace.createSession({
    tools: standardTools({ webSearch: { providers: [SEARCH] } }),
    policy: { ...RECOMMENDED_POLICY, mode: "ask" },
    approver: async ({ reason, arguments: args }) => {
      reasons.push(reason);
      return { verdict: leavesMachine(args) ? "reject" : "once" };
    },
  });
  const close = async () => {
    await session.close();
    await workspace.close();
  };
  return { session, reasons, close };
}

const SLOW_MS = 3_000;
const LONGEST = 300;

function differenceText({ repository, command, inside, outside, explained }: Difference): string {
  const side = ({ exitCode, output }: Difference["inside"]) =>
    `${exitCode} ${JSON.stringify(output.slice(0, LONGEST))}`;
  const title = explained === undefined ? "differs" : `differs (${explained})`;
  return `  ${title}, ${repository}: ${command.replaceAll("\n", "⏎")}\n      inside  ${side(inside)}\n      outside ${side(outside)}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
