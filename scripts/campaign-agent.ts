import { parseArgs } from "node:util";
import { progress } from "../benchmarks/src/report.ts";
import { emptyRecord, type KillRecord, killedRun } from "../tests/agent/kill-campaign.ts";
import type { KillPoint } from "../tests/agent/killed-life.ts";

/**
 * Kills the process of an agent at random points of its work on a sample, each with something in flight, and continues
 * it in a new one: with the intent gate, and without it to show that the campaign would see what goes wrong.
 * `npm run campaign:agent [-- --json] [--quick]`. `--quick` kills less often, and without the gate only in commands.
 */
const { values: flags } = parseArgs({
  options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
const kills = flags.quick ? 10 : 100;
/** So many runs at a time: most of their time is waiting. */
const AT_ONCE = 2;
/** A process seldom begins more than this before the run is over. */
const MOST_BEGUN = 6;
const LONGEST_PAUSE_MS = 150;

const gated = await campaign({ kills, isGateOff: false }, anywhere);
const ungated = flags.quick
  ? await campaign({ kills: 4, isGateOff: true }, inCommand)
  : await campaign({ kills, isGateOff: true }, anywhere);

const goals = [
  {
    name: "kills with something in flight",
    value: gated.kills,
    goal: `>= ${kills}`,
    met: gated.kills >= kills,
  },
  none("recorded steps of the model that were paid twice", gated.paidTwice),
  none("calls that may run once and ran twice", gated.ranTwice),
  none("open requests that were lost", gated.lostRequests),
  none("calls that failed otherwise", gated.failed),
  none("runs with other files in the end", gated.otherFiles),
  {
    name: "without the intent gate, files with calls that ran twice",
    value: ungated.ranTwice.length,
    goal: ">= 1",
    met: ungated.ranTwice.length >= 1,
  },
];
if (flags.json) console.log(JSON.stringify({ name: "campaign:agent", goals, gated, ungated }));
else {
  const { inFlight, inSubagent, idle, runs, plain, resolved, unknown } = gated;
  console.log(`${gated.kills} kills in ${runs} runs, in flight: ${JSON.stringify(inFlight)}`);
  console.log(`${inSubagent} of them while the subagent worked; ${idle} more had nothing in flight`);
  console.log(
    `${plain} runs without an outcome in doubt, ${resolved} with ${unknown} that the model resolved by reading`,
  );
  for (const { name, value, goal, met } of goals)
    console.log(`${met ? "met" : "MISSED"}  ${name}: ${value} (${goal})`);
}
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;

function none(name: string, found: readonly string[]) {
  return { name, value: found.length, goal: "= 0", met: found.length === 0 };
}

/** One in four while the subagent works, which is a small part of the run. */
function anywhere(): KillPoint {
  const nth = 1 + Math.floor(Math.random() * MOST_BEGUN);
  const point = { nth, pauseMs: Math.random() * LONGEST_PAUSE_MS };
  return Math.random() < 0.25 ? { ...point, of: "reviewer" } : point;
}

function inCommand(): KillPoint {
  return { at: "command" };
}

async function campaign(
  { kills: times, isGateOff }: { readonly kills: number; readonly isGateOff: boolean },
  point: () => KillPoint,
): Promise<KillRecord> {
  const record = emptyRecord();
  const points = function* () {
    while (record.kills < times) yield point();
  };
  const worker = async () => {
    while (record.kills < times) {
      await killedRun(record, { points: points(), isGateOff });
      progress(`${isGateOff ? "without" : "with"} the gate: ${JSON.stringify(record)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return record;
}
