/**
 * What containment costs: the same command bare, in today's sandbox, and contained, in turn. Started by root it
 * measures as an ordinary user: the commands of root run as another user, which is not what most users have.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { openSandbox } from "@toolkeep/node";
import { containFolder } from "@toolkeep/node/internal";
import { ROOT } from "../../scripts/root.ts";
import { cpuTime } from "./contain/cpu-time.ts";
import { TASKS, type Task } from "./contain/tasks.ts";
import { bareWay, ourWay, type Way } from "./contain/ways.ts";
import { evaluate, type Figure, type Goal, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const ORDINARY = 12_345;
const PAST = 1_000;
const options = readOptions();

interface Measured {
  readonly goals: readonly Goal[];
  readonly figures: readonly Figure[];
}

const FOLDER = "TOOLKEEP_BENCH_FOLDER";
const given = process.env[FOLDER];
if (given === undefined) process.exitCode = asUser();
else await measureIn(given);

/**
 * Measures in a process that whatever its commands leave running falls to, so that none of their time is missed. The
 * folder is not in `/tmp`, which commands have one of their own of.
 */
function asUser(): number {
  const parent = join(ROOT, ".cache");
  mkdirSync(parent, { recursive: true });
  const base = realpathSync(mkdtempSync(join(parent, "bench-contain-")));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(base, ORDINARY, ORDINARY);
  const number = process.arch === "arm64" ? 167 : 157;
  const adopt = `syscall(${number}, 36, 1, 0, 0, 0) == 0 or die; $child = fork; exec @ARGV unless $child;
    while (($ended = wait) > 0) { exit($? >> 8 || $? && 1) if $ended == $child }`;
  const args = ["-e", adopt, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, PATH: "/usr/local/bin:/usr/bin:/bin", [FOLDER]: base };
  const user = isRoot ? { uid: ORDINARY, gid: ORDINARY } : {};
  try {
    return spawnSync("perl", args, { ...user, env, cwd: base, stdio: "inherit" }).status ?? 1;
  } finally {
    // Places end when their folder is gone. The kernel closes folders that it uses for overlays.
    execFileSync("chmod", ["-R", "u+rwx", base]);
    rmSync(base, { recursive: true, force: true });
  }
}

async function measureIn(base: string): Promise<void> {
  furnish(base);
  const only = process.env["TOOLKEEP_BENCH_TASK"];
  const parts: Measured[] = [];
  for (const task of TASKS)
    if (only === undefined ? !(options.quick && task.isLong) : task.name.includes(only))
      parts.push(await measured(task, base));
  if (only === undefined || only === "past") parts.push(await afterPast(base));
  const notes = [
    { name: "load average of the last minute", value: rounded(loadavg()[0] ?? 0) },
    { name: `measured as user ${process.getuid?.()}, not root` },
  ];
  const figures = [...parts.flatMap((part) => part.figures), ...notes];
  printReport({ name: "bench:contain", goals: parts.flatMap((part) => part.goals), figures }, options);
}

/** A home as users have it: what is in it is hidden, and stands for secrets that no command may read. */
function furnish(base: string): void {
  const home = join(base, "home");
  for (const name of [
    ".ssh/id_ed25519",
    ".ssh/known_hosts",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
  ]) {
    mkdirSync(dirname(join(home, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, name), "a", { mode: 0o600 });
  }
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.test\n");
  Object.assign(process.env, { HOME: home, TOOLKEEP_DECIDER: "off" });
}

async function measured(task: Task, base: string): Promise<Measured> {
  const { name, needs } = task;
  if (needs !== undefined && spawnSync(needs, ["version"], { stdio: "ignore" }).error !== undefined)
    return { goals: [], figures: [{ name: `${name}: skipped, ${needs} is not installed` }] };
  const folders = { bare: "bare", sandboxed: "sandboxed", contained: "contained" };
  const at = (way: keyof typeof folders) =>
    join(base, name.replaceAll(/\W+/g, "-"), task.isReading ? "all" : way);
  for (const folder of new Set([at("bare"), at("sandboxed"), at("contained")])) {
    mkdirSync(folder, { recursive: true });
    task.layOut(folder);
  }
  const sandbox = await openSandbox();
  const sidecars = join(base, "sidecars");
  await using bare = bareWay(at("bare"));
  await using sandboxed = await ourWay("sandboxed", { folder: at("sandboxed"), sandbox, sidecars });
  const { mayHold } = task;
  const opening = { folder: at("contained"), sandbox, sidecars, mayHold };
  await using contained = await ourWay("contained", opening);
  const ways = task.isBareOrContained ? [bare, contained] : [bare, sandboxed, contained];
  const samples = await sampled(task, ways, at);
  return compared(task, samples);
}

/** Whether a command takes longer where many were before it. */
async function afterPast(base: string): Promise<Measured> {
  const sandbox = await openSandbox();
  const open = async (name: string) => {
    const folder = join(base, name);
    mkdirSync(folder);
    const way = await ourWay("contained", { folder, sandbox, sidecars: join(base, "sidecars") });
    await way.run("echo a > a.txt");
    return { folder, way };
  };
  const [few, many] = [await open("few"), await open("many")];
  await using _ = few.way;
  await using __ = many.way;
  const commands = join(projectFolder(many.folder), "commands");
  for (let number = 2; number <= PAST; number += 1)
    cpSync(join(commands, "1"), join(commands, `${number}`), { recursive: true });
  const task = { name: `after ${PAST} commands`, line: "true", rounds: { quick: 9, full: 41 } };
  const ways = [
    { ...few.way, name: "sandboxed" as const, run: few.way.run },
    { ...many.way, name: "contained" as const, run: many.way.run },
  ];
  const samples = await sampled({ ...task, layOut() {} }, ways, () => "");
  const of = (name: Way["name"]) => samples.get(name)?.ms ?? [];
  const ratio = medianRatio(of("contained"), of("sandboxed"));
  const figure = {
    name: `true, contained, after ${PAST} commands`,
    "contained ms": rounded(median(of("contained"))),
  };
  return {
    goals: [evaluate(`true, contained: after ${PAST} commands / after one`, ratio, "<= 1.5")],
    figures: [{ ...figure, "x after one": rounded(ratio), rounds: of("contained").length }],
  };
}

/** Where the state of the only project in a folder of this name is. */
function projectFolder(project: string): string {
  return join(containFolder(), hash("sha256", project).slice(0, 24));
}

interface Samples {
  readonly ms: number[];
  readonly cpuMs: number[];
}

type ByWay = ReadonlyMap<Way["name"], Samples>;

/** In each round each way runs once. The first run of each is not counted. */
async function sampled(
  { name, line, rounds, before }: Task,
  ways: readonly Way[],
  at: (way: Way["name"]) => string,
): Promise<ByWay> {
  const samples = new Map(ways.map((way) => [way.name, { ms: [] as number[], cpuMs: [] as number[] }]));
  const count = options.quick ? rounds.quick : rounds.full;
  progress(`${name}: ${count} rounds`);
  for (let round = -1; round < count; round += 1)
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      before?.(at(way.name));
      const cpu = cpuTime();
      const start = performance.now();
      await way.run(line);
      const ms = performance.now() - start;
      const cpuMs = cpu();
      if (round < 0) continue;
      samples.get(way.name)?.ms.push(ms);
      samples.get(way.name)?.cpuMs.push(cpuMs);
    }
  return samples;
}

function compared({ name, goals = [] }: Task, samples: ByWay): Measured {
  const of = (way: Way["name"], what: keyof Samples) => samples.get(way)?.[what] ?? [];
  const ratio = (way: Way["name"], over: Way["name"]) => medianRatio(of(way, "ms"), of(over, "ms"));
  // Single samples are as coarse as the clock ticks of the kernel; their sum is not.
  const cpu = (way: Way["name"]) =>
    of(way, "cpuMs").reduce((sum, one) => sum + one, 0) / of(way, "cpuMs").length;
  const compare = (over: Way["name"]) =>
    samples.has(over) && {
      [`x ${over}`]: rounded(ratio("contained", over)),
      [`cpu x ${over}`]: rounded(cpu("contained") / cpu(over)),
    };
  const figure: Figure = {
    name,
    ...Object.fromEntries([...samples].map(([way, { ms }]) => [`${way} ms`, rounded(median(ms))])),
    ...compare("bare"),
    ...compare("sandboxed"),
    "cpu ms": [...samples.keys()].map((way) => rounded(cpu(way))).join(" "),
    rounds: of("bare", "ms").length,
  };
  const goal = ({ over, most }: { readonly over: Way["name"]; readonly most: number }) =>
    evaluate(`${name}: contained / ${over}`, ratio("contained", over), `<= ${most}`);
  return { goals: goals.map(goal), figures: [figure] };
}
