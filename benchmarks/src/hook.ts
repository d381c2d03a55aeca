import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "../../tests/cli/bundled-program.ts";
import { evaluate, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const rounds = options.quick ? 6 : 20;
const PARALLEL = 20;

const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-hooks-")));
const project = join(base, "project");
for (const folder of [join(project, ".git"), join(base, "home")]) mkdirSync(folder, { recursive: true });
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: join(base, "home"),
  TOOLKEEP_HOME: join(base, "toolkeep"),
  CLAUDE_PROJECT_DIR: project,
};
const program = await bundledProgram();

interface Payload {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const STATUS: Payload = { tool: "Bash", input: { command: "git status" } };
/** Needs the parsers of command lines. */
const PIPED: Payload = { tool: "Bash", input: { command: 'git log --oneline | head -5 && ls "src dir"' } };
/** No rule allows it, so it asks in most modes. */
const INSTALL: Payload = { tool: "Bash", input: { command: "npm install left-pad" } };
const READ: Payload = { tool: "Read", input: { file_path: join(project, "package.json") } };

try {
  printReport(await measure(), options);
} finally {
  // The decider ends when its directory is gone.
  rmSync(base, { recursive: true, force: true });
}

async function measure() {
  // Starts the decider, and lets it become warm.
  for (let index = 0; index < 20; index += 1) await hook(index % 2 === 0 ? STATUS : INSTALL);
  const contenders = {
    "node -e 0": () => run(["-e", "0"], ""),
    "hook with decider, git status": () => hook(STATUS),
    "hook with decider, a question": () => hook(INSTALL),
    "hook with decider, a read": () => hook(READ),
    "hook in process, git status": () => hook(STATUS, { TOOLKEEP_DECIDER: "off" }),
    "hook in process, piped": () => hook(PIPED, { TOOLKEEP_DECIDER: "off" }),
    "toolkeep --version": () => run([program, "--version"], ""),
    "toolkeep --help": () => run([program, "--help"], ""),
    "toolkeep tools": () => run([program, "tools"], ""),
  };
  const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const [name, play] of Object.entries(contenders)) times.get(name)?.push(await timed(play));
  }
  const parallel: number[] = [];
  const bareParallel: number[] = [];
  for (let round = 0; round < (options.quick ? 3 : 7); round += 1) {
    progress(`${PARALLEL} at once, round ${round + 1}`);
    bareParallel.push(await atOnce(contenders["node -e 0"]));
    parallel.push(await atOnce(() => hook(STATUS)));
  }
  const bare = times.get("node -e 0") ?? [];
  const xBare = (name: keyof typeof contenders) => medianRatio(times.get(name) ?? [], bare);
  return {
    name: "bench:hook",
    goals: [
      evaluate("hook with decider / node -e 0", xBare("hook with decider, git status"), "<= 2.5"),
      evaluate("hook in process / node -e 0", xBare("hook in process, git status"), "<= 6"),
      evaluate("hook in process, piped / node -e 0", xBare("hook in process, piped"), "<= 7.5"),
      evaluate("--version / node -e 0", xBare("toolkeep --version"), "<= 1.3"),
      evaluate("--help / node -e 0", xBare("toolkeep --help"), "<= 1.6"),
      evaluate("tools / node -e 0", xBare("toolkeep tools"), "<= 4"),
      evaluate(`${PARALLEL} parallel hooks of one conversation, ms`, median(parallel), "<= 1000"),
    ],
    figures: [
      ...[...times].map(([name, all]) => ({
        name,
        ms: rounded(median(all)),
        "x node -e 0": rounded(medianRatio(all, bare)),
        rounds: all.length,
      })),
      { name: `${PARALLEL} parallel node -e 0`, ms: rounded(median(bareParallel)), rounds: parallel.length },
      { name: `${PARALLEL} parallel hooks`, ms: rounded(median(parallel)), rounds: parallel.length },
    ],
  };
}

function atOnce(play: () => Promise<unknown>): Promise<number> {
  return timed(() => Promise.all(Array.from({ length: PARALLEL }, play)));
}

async function timed(play: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await play();
  return performance.now() - started;
}

/** A call of Claude Code in one conversation. */
function hook({ tool, input }: Payload, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const payload = {
    session_id: "bench",
    hook_event_name: "PreToolUse",
    permission_mode: "auto",
    cwd: project,
    tool_name: tool,
    tool_input: input,
  };
  return run([program, "hook", "claude-code"], JSON.stringify(payload), env);
}

/** Runs Node until it exits. Throws unless it succeeds: a hook that blocks is not a fast one. */
function run(
  args: readonly string[],
  stdin: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: project, env: { ...environment, ...env } });
    let errors = "";
    child.stdout.resume();
    child.stderr.on("data", (text: Buffer) => {
      errors += text.toString();
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(" ")} ended with ${code}: ${errors}`)),
    );
  });
}
