import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createListener } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bubblewrapSandbox } from "../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { endPlace } from "../../packages/node/src/sandbox/contain/end-place.ts";
import { projectState } from "../../packages/node/src/sandbox/contain/layer/open-layer.ts";
import { noSandbox } from "../../packages/node/src/sandbox/open-sandbox.ts";
import type { AttackReport } from "../attacks/sandbox-records.ts";
import { CANARY } from "../jail/attack-stage.ts";
import { JAIL_USER } from "../jail/outer-jail.ts";
import { runSandboxed } from "../jail/run-sandboxed.ts";
import type { ContainAttack } from "./attack.ts";
import { CONTAIN_ATTACKS } from "./attacks.ts";
import { layered } from "./layered-sandbox.ts";

/*
 * Plays attacks on what contains commands, one after another, and prints one report a line. Only ever started within
 * the jail, with `contained` or `bare`, which shows that the checks can fail, and the ids.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

const FOLDER = "/tmp/stage";
const [WORKSPACE, OUT, HOME, MARK] = [
  `${FOLDER}/workspace`,
  `${FOLDER}/outside`,
  `${FOLDER}/home`,
  "/tmp/MARK",
];
const CONTAIN = "/tmp/contain";
const STATE = projectState(CONTAIN, WORKSPACE).folder;
const LONGEST_MS = 20_000;
const isRoot = process.getuid?.() === 0;
const AS_USER = isRoot ? { uid: JAIL_USER, gid: JAIL_USER } : {};
const PEOPLE = ["AUTHOR", "COMMITTER"].flatMap((role) => [
  [`GIT_${role}_NAME`, "a"],
  [`GIT_${role}_EMAIL`, "a@a.test"],
]);
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/sbin:/usr/bin:/bin",
  HOME,
  ...Object.fromEntries(PEOPLE),
};

const OUTSIDE = { "secret.txt": CANARY, "victim.txt": "victim" };
const AT_HOME = { ".bashrc": "# shell", ".ssh/id_rsa": CANARY };

const [kind, ...ids] = process.argv.slice(2);
const isContained = kind === "contained";
let hits = 0;
const hit = () => {
  hits += 1;
};
const server = createServer((_request, response) => response.end(CANARY)).on("connection", hit);
const listener = createListener((socket) => socket.end(CANARY)).on("connection", hit);
const datagrams = createSocket("udp4").on("message", hit);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
await new Promise<void>((resolve) => listener.listen("\0host-abstract", resolve));
await new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve));
const port = (server.address() as AddressInfo).port;

for (const attack of CONTAIN_ATTACKS)
  if (ids.includes(attack.id) && (isContained || attack.onlyContained !== true))
    console.log(JSON.stringify(await tryAttack(attack)));
if (isContained) await endPlace(CONTAIN, WORKSPACE);
for (const one of [server, listener, datagrams]) one.close();

async function tryAttack(attack: ContainAttack): Promise<AttackReport & { readonly milliseconds: number }> {
  const started = performance.now();
  layOut();
  if (attack.setup !== undefined) asUser(attack.setup);
  // What the user changes in the moment that a command begins is the user's.
  await wait(30);
  const said: string[] = [];
  for (const [at, line] of attack.calls.entries()) {
    const isLast = at === attack.calls.length - 1;
    said.push(await called(line, isLast ? attack.granted : undefined));
  }
  const tried = attack.waitsFor === undefined ? true : await appears(attack.waitsFor);
  if (attack.user !== undefined) asUser(attack.user);
  if (isContained && attack.then !== undefined) said.push(await asked(attack.then));
  const { holds } = attack;
  const checked = holds === undefined ? undefined : asUser(holds);
  const all = said.join("\n");
  const errors = [
    tried ? undefined : "void: it did not try",
    existsSync(MARK) ? "what the command left behind was run" : undefined,
    hits > 0 ? `a server of the user was reached ${hits} times` : undefined,
    all.includes(CANARY) ? "a secret came out" : undefined,
    attack.never?.test(all) === true ? `it says ${attack.never}` : undefined,
    checked !== undefined && checked.status !== 0
      ? `this does not hold: ${holds} ${checked.output}`
      : undefined,
    attack.refused === true && !(said.at(-1) ?? "").startsWith("refused:") ? "it was not refused" : undefined,
    ...damage(),
  ].filter((error) => error !== undefined);
  return {
    id: attack.id,
    errors: errors.map((error) => `${error} <${all.slice(0, 600)}>`),
    milliseconds: Math.round(performance.now() - started),
  };
}

async function called(line: string, granted: ContainAttack["granted"]): Promise<string> {
  const contained = {
    hosts: granted?.hosts ?? [],
    ports: granted?.port === true ? [port] : [],
  };
  const bubblewrap = bubblewrapSandbox({ limits: { processes: 400 } });
  const sandbox = isContained
    ? layered(bubblewrap, { folder: CONTAIN, keepsPlace: true, contained })
    : noSandbox();
  const profile = {
    ...{ read: [], write: [WORKSPACE], guarded: [], hidden: [], hosts: [] },
    environment: ENVIRONMENT,
    cwd: WORKSPACE,
  };
  try {
    const command = await sandbox.wrap(["/bin/bash", "-c", "--", filledIn(line)], profile);
    const { output, complaint } = await runSandboxed(
      isContained ? command : ({ ...command, ...{ user: isRoot ? AS_USER : undefined } } as typeof command),
      LONGEST_MS,
      { isAlone: false },
    );
    return `${output}\n${complaint ?? ""}`;
  } catch (error) {
    return `refused: ${error}`;
  }
}

/** What the user asks of the last command. */
async function asked(what: "undo" | "keep"): Promise<string> {
  try {
    const past = await projectPast(CONTAIN, WORKSPACE);
    const last = past.commands.at(-1)?.number ?? 0;
    return JSON.stringify(await past[what](last));
  } catch (error) {
    return `${what}: ${error}`;
  }
}

async function appears(name: string): Promise<boolean> {
  const path = join(isContained ? join(STATE, "tmp") : "/tmp", name);
  for (let waited = 0; waited < 8_000; waited += 50) {
    if (existsSync(path)) return true;
    await wait(50);
  }
  return false;
}

function layOut(): void {
  for (const path of [
    FOLDER,
    MARK,
    "/tmp/tried",
    "/tmp/got",
    join(STATE, "tmp/tried"),
    join(STATE, "tmp/got"),
  ]) {
    spawnSync("/bin/chmod", ["-R", "u+rwX", path], { stdio: "ignore" });
    spawnSync("/bin/rm", ["-rf", path], { stdio: "ignore" });
    rmSync(path, { recursive: true, force: true });
  }
  hits = 0;
  for (const path of [FOLDER, WORKSPACE, OUT, HOME, join(HOME, ".ssh"), join(WORKSPACE, "src")]) {
    mkdirSync(path);
    if (isRoot) chownSync(path, JAIL_USER, JAIL_USER);
  }
  for (const [folder, files] of [
    [OUT, OUTSIDE],
    [HOME, AT_HOME],
    [WORKSPACE, { "a.txt": "a", "src/x": "x", "src/victim.txt": "v" }],
  ] as const)
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
      if (isRoot) chownSync(join(folder, name), JAIL_USER, JAIL_USER);
    }
  asUser("git init -q -b main .; git add -A; git commit -q -m one");
}

function damage(): readonly string[] {
  const differ = (folder: string, files: Readonly<Record<string, string>>) => {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => !lstatSync(join(folder, name)).isDirectory(),
    );
    return (
      names.toSorted().join() !== Object.keys(files).toSorted().join() ||
      names.some((name) => readFileSync(join(folder, name), "utf8") !== files[name])
    );
  };
  return [
    ...(differ(OUT, OUTSIDE) ? ["what is outside was changed"] : []),
    ...(differ(HOME, AT_HOME) ? ["the home was changed"] : []),
    ...(existsSync(join(WORKSPACE, ".git/HEAD")) ? [] : ["the repository is gone"]),
  ];
}

/** What the user does outside; the jail contains it. */
function asUser(line: string): { readonly status: number | null; readonly output: string } {
  const { stdout, stderr, status } = spawnSync("/bin/bash", ["-c", filledIn(line)], {
    ...{
      cwd: WORKSPACE,
      env: ENVIRONMENT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST_MS,
    },
    ...AS_USER,
  });
  return { status, output: stdout + stderr };
}

function filledIn(line: string): string {
  return line
    .replaceAll("{MARK}", MARK)
    .replaceAll("{OUT}", OUT)
    .replaceAll("{HOME}", HOME)
    .replaceAll("{STATE}", STATE)
    .replaceAll("{PORT}", `${port}`)
    .replaceAll("{UDP}", `${datagrams.address().port}`);
}
