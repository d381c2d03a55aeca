import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayCalled, projectOf } from "../day.ts";
import type { RealPlay } from "./agent.ts";
import { type Governance, installedGovernor } from "./governor.ts";
import { makeHome } from "./person.ts";
import { playDay, type Row } from "./play-day.ts";

/*
 * Makes the home of a day, or plays it, in its own process within the jail, as `plan.json` says.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

export interface Plan {
  readonly day: string;
  readonly make?: true;
  /** Whether dangerous steps are left out. */
  readonly isHarmless?: boolean;
  /** The numbers of the steps that are played. Default: all. */
  readonly only?: readonly number[];
  readonly governance?: Governance;
  readonly real?: RealPlay;
  /** Names of the plays without Toolkeep. */
  readonly bare?: readonly string[];
  readonly result: string;
}

const EXCHANGE = "/srv/exchange";
const plan = JSON.parse(readFileSync("/srv/plan.json", "utf8")) as Plan;
const day = dayCalled(plan.day);
if (plan.make === true) {
  await makeHome(day);
  // Every world has the files of Toolkeep: they are seen by commands that list.
  for (const [client, mode] of [
    ["claude-code", "auto"],
    ["codex", "bypassPermissions"],
  ] as const)
    await installedGovernor({ client, mode, flags: [] }, projectOf(day));
} else {
  const bare = plan.bare?.map(
    (name) => JSON.parse(readFileSync(join(EXCHANGE, name), "utf8")) as readonly Row[],
  );
  const rows = await playDay(day, {
    ...(plan.governance && { governance: plan.governance }),
    ...(plan.real && { real: plan.real }),
    ...(bare && { bare }),
    isHarmless: plan.isHarmless === true,
    ...(plan.only && { only: plan.only }),
  });
  writeFileSync(join(EXCHANGE, plan.result), JSON.stringify(rows));
}
// Servers and the decider of this home may still be there.
process.exit(0);
