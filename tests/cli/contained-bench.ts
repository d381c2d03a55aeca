import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { whyNoJail } from "../jail/outer-jail.ts";
import { type CliOutcome, OWN_COMMAND } from "./cli-bench.ts";

const isRoot = process.getuid?.() === 0;
/** Root has no layers: its tests are an ordinary user's. */
export const USER = isRoot ? { uid: 12_346, gid: 12_346 } : {};

/** Why nothing runs contained here; `undefined` if it does. */
export function whyNotContained(): string | undefined {
  const reason = whyNoJail("user");
  if (reason !== undefined) return reason;
  const needed = ["ip", "nsenter", "perl", "unshare", "git"];
  const missing = needed.find((name) => spawnSync("which", [name]).status !== 0);
  return missing === undefined ? undefined : `${missing} is not installed`;
}

/** What Node compiled of the program, once for all files. */
function compiled(): string {
  const folder = join(dirname(OWN_COMMAND[1]), `compiled-${USER.uid ?? "own"}`);
  if (mkdirSync(folder, { recursive: true }) !== undefined && isRoot)
    chownSync(folder, USER.uid ?? 0, USER.gid ?? 0);
  return folder;
}

export interface HookSaid {
  readonly action: string | undefined;
  readonly reason: string;
  /** What the client runs, and how it ended, if it was not asked. */
  readonly ran?: CliOutcome;
}

/** A home and a project of an ordinary user, and the program in it as a client has it. */
export function containedBench() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-contained-")));
  const [home, project] = [join(base, "home"), join(base, "project")];
  chmodSync(base, 0o755);
  for (const folder of [home, project]) mkdirSync(folder);
  const own = (path: string) => isRoot && chownSync(path, USER.uid ?? 0, USER.gid ?? 0);
  for (const path of [base, home, project]) own(path);
  const environment = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    TOOLKEEP_DECIDER: "off",
    GIT_CONFIG_GLOBAL: "/dev/null",
    NODE_COMPILE_CACHE: compiled(),
  };
  const start = (argv: readonly string[], stdin = "", env = {}): Promise<CliOutcome> =>
    new Promise((resolve, reject) => {
      const [program = "", ...args] = argv;
      const child = spawn(program, args, { cwd: project, env: { ...environment, ...env }, ...USER });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.stdin.on("error", () => {});
      child.stdin.end(stdin);
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
  const toolkeep = (...args: readonly string[]) => start([...OWN_COMMAND, ...args]);
  const inClient = (conversation: string) => ({
    ...{ CLAUDE_PROJECT_DIR: project, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: conversation },
  });
  /** What the hook says, and the line that it would have the client run instead. */
  async function asked(
    command: string,
    { conversation = "one", input = {} }: { readonly conversation?: string; readonly input?: object } = {},
  ) {
    const payload = {
      ...{ session_id: conversation, transcript_path: "/nonexistent", cwd: project },
      ...{ permission_mode: "default", hook_event_name: "PreToolUse", tool_name: "Bash" },
      ...{ tool_input: { command, ...input }, tool_use_id: `toolu_${randomUUID()}` },
    };
    const hook = await start(
      [...OWN_COMMAND, "hook", "claude-code"],
      JSON.stringify(payload),
      inClient(conversation),
    );
    if (hook.code !== 0) throw new Error(`The hook ended with ${hook.code}: ${hook.stderr}`);
    const { hookSpecificOutput: said = {} } = JSON.parse(hook.stdout || "{}");
    return {
      action: said.permissionDecision as string | undefined,
      reason: String(said.permissionDecisionReason ?? ""),
      line: said.updatedInput?.command as string | undefined,
    };
  }
  const write = (folder: string) => (path: string, text: string) => {
    const file = join(folder, path);
    const made = mkdirSync(dirname(file), { recursive: true });
    if (made !== undefined) own(made);
    writeFileSync(file, text);
    own(file);
  };
  return {
    ...{ base, home, project, environment, toolkeep, asked },
    /** Where Toolkeep keeps what contained commands left. */
    store: join(home, ".local/state/toolkeep/contain"),
    shell: (line: string) => start(["bash", "-c", line]),
    toolkeepWith: (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      start([...OWN_COMMAND, ...args], "", env),
    write: write(project),
    writeHome: write(home),
    /** What Claude Code does with a command: it asks the hook, and runs what that gives it. */
    async bash(
      command: string,
      {
        conversation = "one",
        toFile = false,
      }: { readonly conversation?: string; readonly toFile?: boolean } = {},
    ): Promise<HookSaid> {
      const env = inClient(conversation);
      const { line, ...said } = await asked(command, { conversation });
      const { action, reason } = said;
      if (action !== "allow" || line === undefined) return said;
      if (!toFile) return { action, reason, ran: await start(["bash", "-c", line], "", env) };
      const file = join(base, "output");
      const ran = await start(["bash", "-c", `(${line}) > ${file} 2>&1`], "", env);
      return { action, reason, ran: { ...ran, stderr: readFileSync(file, "utf8") } };
    },
    async json(...args: readonly string[]) {
      return JSON.parse((await toolkeep(...args, "--json")).stdout);
    },
    async remove(): Promise<void> {
      await toolkeep("contain", "stop");
      spawnSync("chmod", ["-R", "u+rwx", base]);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export type ContainedBench = ReturnType<typeof containedBench>;
