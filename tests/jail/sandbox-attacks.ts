import type { Sandbox, SandboxProfile } from "@toolkeep/core/ports";
import { bubblewrapSandbox } from "../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { noSandbox } from "../../packages/node/src/sandbox/open-sandbox.ts";
import { type AttackReport, readSandboxAttacks, type SandboxAttack } from "../attacks/sandbox-records.ts";
import { layered } from "../contain-attacks/layered-sandbox.ts";
import { ATTACK_CHECKS, CHECKS_IN_PLACE } from "./attack-checks.ts";
import { type AttackStage, CANARY, setAttackStage } from "./attack-stage.ts";
import { runSandboxed } from "./run-sandboxed.ts";

/*
 * Runs attacks on the sandbox, one after another, and prints one report a line. Only ever started within the jail.
 * With the ids of attacks as arguments these run without a sandbox, to show that the checks can fail; with `layered`
 * before them, or alone, they run in a layer.
 */

const LONGEST_MS = 6_000;
const STATE = "/tmp/stage/contain";
const SMALL = { fileSize: 4 * 2 ** 20, processes: 24 };

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");
process.env["SECRET_TOKEN"] = CANARY;

const isLayered = process.argv[2] === "layered";
const ids = process.argv.slice(isLayered ? 3 : 2);
const bubblewrap =
  !isLayered && ids.length > 0
    ? noSandbox()
    : bubblewrapSandbox({ limits: SMALL, protection: { quarantine: "/tmp/quarantine" } });
const sandbox = isLayered ? layered(bubblewrap, { folder: STATE }) : bubblewrap;
const stage = await setAttackStage();
for (const attack of readSandboxAttacks()) {
  if (ids.length > 0 && !ids.includes(attack.id)) continue;
  console.log(JSON.stringify(await tryAttack(attack, sandbox)));
}
stage.close();

async function tryAttack({ id, input, setup }: SandboxAttack, profile: Sandbox): Promise<AttackReport> {
  stage.reset(setup.repository ?? true);
  const line = filledIn(input.command, stage);
  const run = await runSandboxed(await profile.wrap(["/bin/bash", "-c", line], profileOf(stage)), LONGEST_MS);
  const errors = [
    ((isLayered ? CHECKS_IN_PLACE[id] : undefined) ?? ATTACK_CHECKS[id])?.(run, stage),
    run.output.includes(CANARY) ? "a secret came out" : undefined,
    run.survivors.length > 0 ? `processes were left: ${run.survivors.join("; ")}` : undefined,
    ...stage.damage(),
  ];
  return { id, errors: errors.filter((error) => error !== undefined) };
}

function filledIn(command: string, { workspace, outside, port }: AttackStage): string {
  return command
    .replaceAll("{W}", workspace)
    .replaceAll("{OUT}", outside)
    .replaceAll("{INT_PORT}", `${port}`)
    .replaceAll("{PROXY}", `127.0.0.1:${port}`);
}

function profileOf({ workspace, home }: AttackStage): SandboxProfile {
  const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: home };
  return { read: [], write: [workspace], guarded: [], hidden: [], hosts: [], environment, cwd: workspace };
}
