import { parseArgs } from "node:util";
import { editAgainAndAgain } from "../tests/lost/edit-rounds.ts";
import { fillAtEachStep } from "../tests/lost/full-disk.ts";
import { killAgainAndAgain, killsWithoutJournal } from "../tests/lost/kill-campaign.ts";

/**
 * Tries to lose work in contained projects: kills processes that commit, keep and undo, also with content lost that was
 * not on the disk; fills the disk at each of their steps; and edits the files that commands change. Each with a control
 * that must lose something. `npm run campaign:lost [-- --json] [--quick] [--seed N] [--kills N]`.
 */
const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    seed: { type: "string", default: "36" },
    kills: { type: "string" },
  },
});
const seed = Number(flags.seed);
const wanted = Number(flags.kills ?? (flags.quick ? 20 : 1_000));
const rounds = flags.quick ? 10 : 200;
const EVERY = 50;

const kills = await killAgainAndAgain({
  ...{ kills: wanted, seed },
  onKill: (figures) => figures.kills % EVERY === 0 && console.error(JSON.stringify(figures)),
});
const halfDone = await killsWithoutJournal(seed, flags.quick ? 3 : 20);
const full = await fillAtEachStep(seed, flags.quick ? 9 : 1);
const edits = await editAgainAndAgain({ rounds, seed });
const careless = await editAgainAndAgain({ rounds: 5, seed, isCareless: true });

const errors = [...kills.errors, ...full.errors, ...edits.lost];
const goals = [
  atLeast("kills", kills.kills, wanted),
  atLeast("of them, projects that were half-done until the next process looked", kills.between, 1),
  none("kills after which a project was not wholly as before or wholly as after", kills.errors),
  atLeast("without the journal on the disk, projects that stay half-done", halfDone, 1),
  atLeast("steps at which the disk became full", full.steps, 1),
  none("of them, projects that were not as before where the work failed", full.errors),
  atLeast("rounds of two commands and an editor", edits.rounds, rounds),
  none("edits of the user that were lost", edits.lost),
  atLeast("edits that are lost where changes are copied without looking", careless.lost.length, 1),
];
for (const error of errors) console.error(error);
if (flags.json) console.log(JSON.stringify({ name: "campaign:lost", goals, seed, kills, full, edits }));
else
  for (const { name, value, goal, ok } of goals)
    console.log(`${ok ? "met" : "MISSED"}  ${name}: ${value} (${goal})`);
process.exitCode = goals.every(({ ok }) => ok) ? 0 : 1;

function none(name: string, found: readonly string[]) {
  return { name, value: found.length, goal: "= 0", ok: found.length === 0 };
}

function atLeast(name: string, value: number, least: number) {
  return { name, value, goal: `>= ${least}`, ok: value >= least };
}
