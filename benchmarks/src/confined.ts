import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "../../tests/cli/bundled-program.ts";
import { BUILD_PROJECTS, type BuildProject, layOut } from "./confined/build-projects.ts";
import { alternatingRounds, type SlowTask } from "./host/alternating-rounds.ts";
import { withIo } from "./host/with-io.ts";
import { evaluate, type Figure, type Goal, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const rounds = options.quick ? 5 : 15;

/** Commands of root run as an ordinary user, outside of the sandbox too. */
const user = process.getuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : {};

const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-confined-")));
const home = join(base, "home");
const project = join(base, "project");
for (const folder of [home, project]) mkdirSync(folder, { mode: 0o755 });
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  TOOLKEEP_HOME: join(base, "toolkeep"),
  TOOLKEEP_DECIDER: "off",
};
execFileSync("chmod", ["755", base]);
Object.assign(process.env, environment);

interface Measured {
  readonly goals: readonly Goal[];
  readonly figures: readonly Figure[];
}

try {
  const parts: Measured[] = [];
  for (const build of BUILD_PROJECTS) parts.push(await measureBuild(build));
  parts.push(await measureExec());
  const load = { name: "load average of the last minute", value: rounded(loadavg()[0] ?? 0) };
  printReport(
    {
      name: "bench:confined",
      goals: parts.flatMap(({ goals }) => goals),
      figures: [...parts.flatMap(({ figures }) => figures), load],
    },
    options,
  );
} finally {
  execFileSync("chmod", ["-R", "u+rwx", base]);
  rmSync(base, { recursive: true, force: true });
}

/** The first run of each is not counted. */
async function measureBuild(build: BuildProject): Promise<Measured> {
  const folders = {
    bare: join(project, build.name, "bare"),
    confined: join(project, build.name, "confined"),
  };
  try {
    for (const folder of Object.values(folders)) layOut(build, folder);
    giveAway();
    await ended(build.argv, folders.bare);
  } catch (error) {
    progress(`skipped ${build.name}: ${(error as Error).message}`);
    return { goals: [], figures: [{ name: `${build.name}: skipped, not installed` }] };
  }
  const times = await withIo(folders.confined, [build.argv], (io) => {
    const confined = async () => {
      const { exitCode } = await io.commands.run({ argv: build.argv, timeoutMs: 120_000 });
      if (exitCode !== 0) throw new Error(`${build.name} ended with ${exitCode} in the sandbox`);
    };
    return measured([
      { name: "bare", run: () => ended(build.argv, folders.bare) },
      { name: "confined", run: confined },
    ]);
  });
  return compared(times, { bare: `${build.name}, bare`, confined: `${build.name}, confined`, most: 2 });
}

/** A whole process of `toolkeep exec` for each command: what a client waits for. */
async function measureExec(): Promise<Measured> {
  const repository = join(project, "repository");
  mkdirSync(repository);
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: repository });
  git("init", "--quiet");
  git(
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.test",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "one",
  );
  giveAway();
  const program = await bundledProgram();
  await toolkeep([program, "init", "claude-code", "--yes", "--confine", "--no-trust"]);
  const lines = ["git log --oneline -1", "echo '{}' | jq ."];
  const parts: Measured[] = [];
  for (const line of lines) {
    const tickets = [await ticketFor(line)];
    for (let round = 0; round < rounds; round += 1) tickets.push(await ticketFor(line));
    const times = await measured([
      { name: "bare", run: () => toolkeep(["-e", "0"]) },
      {
        name: "confined",
        run: () => toolkeep([program, "exec", "--ticket", tickets.pop() ?? "", "--", line]),
      },
    ]);
    parts.push(compared(times, { bare: "node -e 0", confined: `toolkeep exec, ${line}`, most: 3 }));
  }
  return { goals: parts.flatMap(({ goals }) => goals), figures: parts.flatMap(({ figures }) => figures) };

  async function ticketFor(command: string): Promise<string> {
    const asked = {
      ...{ session_id: "bench", hook_event_name: "PreToolUse", permission_mode: "default", cwd: repository },
      ...{ tool_name: "Bash", tool_input: { command } },
    };
    const answer = await toolkeep([program, "hook", "claude-code"], JSON.stringify(asked));
    const [, ticket] = / --ticket (\S+) -- /.exec(answer) ?? [];
    if (ticket === undefined) throw new Error(`The hook confined nothing: ${answer}`);
    return ticket;
  }

  async function toolkeep(args: readonly string[], stdin = ""): Promise<string> {
    const env = { ...environment, CLAUDE_PROJECT_DIR: repository };
    const child = spawn(process.execPath, args, { cwd: repository, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => {
        output += text.toString();
      });
    child.stdin.end(stdin);
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${output}`);
    return output;
  }
}

function measured(tasks: readonly SlowTask[]) {
  return alternatingRounds(tasks, rounds);
}

interface Comparison {
  readonly bare: string;
  readonly confined: string;
  readonly most: number;
}

function compared(
  times: ReadonlyMap<string, readonly number[]>,
  { bare, confined, most }: Comparison,
): Measured {
  const [plain = [], ours = []] = [times.get("bare"), times.get("confined")];
  const ratio = medianRatio(ours, plain);
  return {
    goals: [evaluate(`${confined} / ${bare}`, ratio, `<= ${most}`)],
    figures: [
      { name: bare, ms: rounded(median(plain)), rounds: plain.length },
      { name: confined, ms: rounded(median(ours)), "x bare": rounded(ratio), rounds: ours.length },
    ],
  };
}

/** Everything there belongs to the user of the commands. */
function giveAway(): void {
  const { uid, gid } = user;
  if (uid === undefined || gid === undefined) return;
  for (const folder of [home, project]) {
    chownSync(folder, uid, gid);
    for (const name of globSync("**/{*,.*}", { cwd: folder })) chownSync(join(folder, name), uid, gid);
  }
}

/** Runs a program without a sandbox. @throws unless it succeeds. */
async function ended([program, ...args]: readonly [string, ...string[]], cwd: string): Promise<void> {
  const { PATH, HOME } = environment;
  const child = spawn(program, args, { cwd, env: { PATH, HOME }, ...user });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      output += text.toString();
    });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
}
