import { parseArgs } from "node:util";
import { type KillRecord, killAgainAndAgain } from "../tests/agent/kill-campaign.ts";

/**
 * Kills the process of an agent at random points of its work on a sample, and continues it in a new one: with the intent
 * gate, and without it to show that the campaign would see what goes wrong. `--quick` kills less often.
 */
const { values: flags } = parseArgs({
  options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
const kills = flags.quick ? 10 : 100;
/** So many runs at a time: most of their time is waiting. */
const AT_ONCE = 2;

const gated = await campaign(kills, false);
const ungated = await campaign(kills, true);

const goals = [
  {
    name: "kills with something in flight",
    value: gated.kills,
    goal: `>= ${kills}`,
    met: gated.kills >= kills,
  },
  none("recorded steps of the model that were paid twice", gated.paidTwice),
  none("calls that may run once and ran twice", gated.ranTwice),
  none("open questions that were lost", gated.lostRequests),
  none("runs with other files in the end", gated.otherFiles),
  {
    name: "without the intent gate, runs with calls that ran twice",
    value: ungated.ranTwice.length,
    goal: ">= 1",
    met: ungated.ranTwice.length >= 1,
  },
];
const { inFlight, runs, plain, resolved, unknown } = gated;
if (flags.json) console.log(JSON.stringify({ name: "campaign:agent", goals, gated, ungated }));
else {
  console.log(`${gated.kills} kills in ${runs} runs, in flight: ${JSON.stringify(inFlight)}`);
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

async function campaign(times: number, isGateOff: boolean): Promise<KillRecord> {
  const share = Math.ceil(times / AT_ONCE);
  const parts = await Promise.all(
    Array.from({ length: AT_ONCE }, () => killAgainAndAgain({ kills: share, isGateOff })),
  );
  return parts.reduce((sum, part) => ({
    kills: sum.kills + part.kills,
    runs: sum.runs + part.runs,
    plain: sum.plain + part.plain,
    resolved: sum.resolved + part.resolved,
    unknown: sum.unknown + part.unknown,
    inFlight: {
      model: sum.inFlight.model + part.inFlight.model,
      call: sum.inFlight.call + part.inFlight.call,
      person: sum.inFlight.person + part.inFlight.person,
    },
    paidTwice: [...sum.paidTwice, ...part.paidTwice],
    ranTwice: [...sum.ranTwice, ...part.ranTwice],
    lostRequests: [...sum.lostRequests, ...part.lostRequests],
    otherFiles: [...sum.otherFiles, ...part.otherFiles],
  }));
}
