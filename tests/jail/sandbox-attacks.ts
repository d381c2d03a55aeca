import type { Sandbox, Walls } from "@toolkeep/core";
import { bubblewrap } from "../../packages/node/src/sandbox/bubblewrap.ts";
import { noSandbox } from "../../packages/node/src/sandbox/no-sandbox.ts";
import { type AttackReport, readSandboxAttacks, type SandboxAttack } from "../attacks/sandbox-records.ts";
import { ATTACK_CHECKS } from "./attack-checks.ts";
import { type AttackStage, CANARY, setAttackStage } from "./attack-stage.ts";
import { runWalled } from "./run-walled.ts";

/*
 * Runs attacks on the walls, one after another, and prints one report a line. Only ever started within the jail.
 * With the ids of attacks as arguments these are run without walls, to see that what is checked can fail.
 */

const LONGEST_MS = 2_000;
const SMALL = { fileSize: 4 * 2 ** 20, processes: 24 };

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");
process.env["SECRET_TOKEN"] = CANARY;

const withoutWalls = process.argv.slice(2);
const sandbox =
  withoutWalls.length > 0
    ? noSandbox()
    : bubblewrap({ limits: SMALL, protection: { quarantine: "/tmp/quarantine" } });
const stage = await setAttackStage();
for (const attack of readSandboxAttacks()) {
  if (withoutWalls.length > 0 && !withoutWalls.includes(attack.id)) continue;
  console.log(JSON.stringify(await tryAttack(attack, sandbox)));
}
stage.close();

async function tryAttack({ id, input, setup }: SandboxAttack, walls: Sandbox): Promise<AttackReport> {
  stage.reset(setup.repository ?? true);
  const line = filledIn(input.command, stage);
  const run = await runWalled(await walls.wall(["/bin/bash", "-c", line], wallsOf(stage)), LONGEST_MS);
  const faults = [
    ATTACK_CHECKS[id]?.(run, stage),
    run.output.includes(CANARY) ? "a secret came out" : undefined,
    run.survivors.length > 0 ? `processes were left: ${run.survivors.join("; ")}` : undefined,
    ...stage.damage(),
  ];
  return { id, faults: faults.filter((fault) => fault !== undefined) };
}

function filledIn(command: string, { workspace, outside, port }: AttackStage): string {
  return command
    .replaceAll("{W}", workspace)
    .replaceAll("{OUT}", outside)
    .replaceAll("{INT_PORT}", `${port}`)
    .replaceAll("{PROXY}", `127.0.0.1:${port}`);
}

function wallsOf({ workspace, home }: AttackStage): Walls {
  const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: home };
  return { read: [], write: [workspace], guarded: [], hidden: [], hosts: [], environment, cwd: workspace };
}
