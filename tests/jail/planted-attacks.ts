import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { bubblewrapSandbox } from "../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { endPlace } from "../../packages/node/src/sandbox/contain/end-place.ts";
import { noSandbox } from "../../packages/node/src/sandbox/open-sandbox.ts";
import { type AttackReport, type PlantedAttack, readPlantedAttacks } from "../attacks/sandbox-records.ts";
import { layered } from "../contain-attacks/layered-sandbox.ts";
import { CANARY } from "./attack-stage.ts";
import { JAIL_USER } from "./outer-jail.ts";
import { runSandboxed, type SandboxedRun } from "./run-sandboxed.ts";

/*
 * Runs what commands leave behind for the user to run, one after another, and prints one report a line. Only
 * ever started within the jail, with `sandboxed`, `layered` or `bare`, which shows that the checks can fail, and the ids.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

const FOLDER = "/tmp/planted";
const WORKSPACE = `${FOLDER}/workspace`;
const MARK = "/tmp/MARK";
const STATE = "/tmp/contain";
const FEW_FOLDERS = 500;
/** A repository that was made among installed packages is passed over without a layer, and held in one. */
const IN_PACKAGES = "PG15";

const PEOPLE = ["AUTHOR", "COMMITTER"].flatMap((role) => [
  [`GIT_${role}_NAME`, "a"],
  [`GIT_${role}_EMAIL`, "a@a.test"],
]);
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/bin:/bin",
  HOME: "/nowhere",
  ...Object.fromEntries(PEOPLE),
};

const [kind, ...ids] = process.argv.slice(2);
const hasSandbox = kind !== "bare";
const protection = { quarantine: "/tmp/quarantine", mostFolders: FEW_FOLDERS };
const bubblewrap = hasSandbox ? bubblewrapSandbox({ protection }) : noSandbox();
const isLayered = kind === "layered";
const sandbox = isLayered ? layered(bubblewrap, { folder: STATE, keepsPlace: true }) : bubblewrap;

for (const attack of readPlantedAttacks()) {
  if (ids.includes(attack.id) && (hasSandbox || attack.harmless !== true))
    console.log(JSON.stringify(await tryAttack(attack)));
}
if (isLayered) await endPlace(STATE, WORKSPACE);

async function tryAttack({
  id,
  setup,
  calls,
  after,
  shows,
  names,
  quiet,
}: PlantedAttack): Promise<AttackReport> {
  for (const path of [FOLDER, MARK]) removeAll(path);
  mkdirSync(WORKSPACE, { recursive: true });
  if (process.getuid?.() === 0) for (const path of [FOLDER, WORKSPACE]) chownSync(path, JAIL_USER, JAIL_USER);
  asUser(setup);
  // What the user changes in the moment that a command begins is the user's.
  if (isLayered) await wait(30);
  const outputs: string[] = [];
  const complaints: string[] = [];
  for (const call of calls) {
    const { output, complaint } = await called(call);
    outputs.push(output);
    if (complaint !== undefined) complaints.push(complaint);
  }
  if (hasSandbox && names !== undefined) {
    const isNamed = complaints.some((complaint) => complaint.includes(names));
    // In a layer it may be held instead, and then nothing of it is run.
    if (isNamed || !isLayered || complaints.length === 0)
      return { id, errors: isNamed ? [] : [`${names} is not named: ${complaints.join("\n")}`] };
  }
  // A new time, so that git does not take its own record for granted.
  await wait(20);
  const seen = asUser(after);
  const errors = [
    existsSync(MARK) ? "what the command left behind was run" : undefined,
    outputs.join("").includes(CANARY) ? "a secret came out" : undefined,
    seen.includes("EVIL") ? `the user gets to see what the command left: ${seen}` : undefined,
    shows !== undefined && !(isLayered && id === IN_PACKAGES) && !seen.includes(shows)
      ? `the user misses ${shows}: ${seen}`
      : undefined,
    outputs.some((output) => output.startsWith("refused")) ? outputs.join("\n") : undefined,
    quiet === true && complaints.length > 0 && !(isLayered && id === IN_PACKAGES)
      ? complaints.join("\n")
      : undefined,
  ];
  return { id, errors: errors.filter((error) => error !== undefined) };
}

async function called(line: string): Promise<Pick<SandboxedRun, "output" | "complaint">> {
  const profile = {
    read: [],
    write: [WORKSPACE],
    guarded: [],
    hidden: [],
    hosts: [],
    environment: ENVIRONMENT,
    cwd: WORKSPACE,
  };
  try {
    return await runSandboxed(await sandbox.wrap(["/bin/bash", "-c", filledIn(line)], profile));
  } catch (error) {
    return { output: `refused: ${error}`, complaint: undefined };
  }
}

/** What the user does outside the sandbox; the jail contains it. */
function asUser(line: string): string {
  const { stdout, stderr } = spawnSync("/bin/bash", ["-c", filledIn(line)], {
    cwd: WORKSPACE,
    env: ENVIRONMENT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    ...(process.getuid?.() === 0 ? { uid: JAIL_USER, gid: JAIL_USER } : {}),
  });
  return stdout + stderr;
}

function filledIn(line: string): string {
  return line.replaceAll("{MARK}", MARK).replaceAll("CANARY", CANARY);
}

/** Also what is too deep for a path, or closed. */
function removeAll(path: string): void {
  spawnSync("/bin/chmod", ["-R", "u+rwX", path], { stdio: "ignore" });
  spawnSync("/bin/rm", ["-rf", path], { stdio: "ignore" });
  rmSync(path, { recursive: true, force: true });
}
