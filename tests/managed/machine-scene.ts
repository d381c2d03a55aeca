import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { SERVER, triedServers } from "./machine-servers.ts";
import { MACHINE_WAYS, type MachineWay } from "./machine-ways.ts";

/** Runs in the jail, as root, on a machine of its own: an administrator, and the users alice and bob. */
const MAIN = "/run/lib/node_modules/toolkeep/dist/main.js";
const USERS = { root: 0, alice: 12_345, bob: 12_346 } as const;
type User = keyof typeof USERS;
const isWhole = process.argv.includes("--whole");
const SETTINGS = "/etc/claude-code/managed-settings.json";

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

interface RunOptions {
  readonly as?: User;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

function run(
  argv: readonly string[],
  { as = "alice", cwd = "/", env = {}, input = "" }: RunOptions = {},
): Ran {
  const home = as === "root" ? "/root" : `/home/${as}`;
  const drop = [
    "/usr/bin/setpriv",
    `--reuid=${USERS[as]}`,
    `--regid=${USERS[as]}`,
    "--clear-groups",
    "--no-new-privs",
  ];
  // Of the environment, only what is given reaches the program: `setpriv` itself must be found without it.
  const child = spawnSync(
    drop[0] as string,
    [
      ...drop.slice(1),
      "/usr/bin/env",
      "-i",
      ...envWords({ PATH: "/usr/bin:/bin", HOME: home, ...env }),
      ...argv,
    ],
    {
      ...{ cwd, input, encoding: "utf8", env: {}, timeout: 60_000 },
    },
  );
  return { code: child.status, out: `${child.stdout}${child.stderr}` };
}

const envWords = (env: Readonly<Record<string, string>>) =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

const toolkeep = (args: string, options: RunOptions = {}, node: string = process.execPath) =>
  run([node, MAIN, ...args.split(" ")], options);

const POLICY = `version: 1
extends: ["toolkeep:recommended"]
rules:
  - 'final ask git.push "*" because "CHG-001"'
  - 'final deny shell.run "kubectl delete *" because "CHG-002"'
  - 'deny fs.* "**/.env*"'
`;
const NODE = process.execPath;
const LISTED = `PAYMENTS_URL=https://pay.example TOKEN=* '${NODE}' ${SERVER}`;

function setUp(): void {
  writeFileSync(
    "/etc/passwd",
    Object.entries(USERS)
      .map(([name, id]) => `${name}:x:${id}:${id}::${name === "root" ? "/root" : `/home/${name}`}:/bin/sh\n`)
      .join(""),
  );
  writeFileSync(
    "/etc/group",
    Object.entries(USERS)
      .map(([name, id]) => `${name}:x:${id}:\n`)
      .join(""),
  );
  for (const user of ["alice", "bob"] as const) {
    mkdirSync(`/home/${user}`, { mode: 0o755 });
    chownSync(`/home/${user}`, USERS[user], USERS[user]);
  }
  mkdirSync("/etc/toolkeep", { mode: 0o755 });
  writeFileSync("/etc/toolkeep/policy.yaml", POLICY);
  writeFileSync(
    "/etc/toolkeep/config.jsonc",
    JSON.stringify({ policy: "policy.yaml", modes: ["ask"], servers: { payments: LISTED } }),
  );
  mkdirSync("/etc/claude-code", { mode: 0o755 });
  writeFileSync(SETTINGS, OWN_SETTINGS);
}

/** What the administrator has there already. */
const OWN_SETTINGS = `{
  "model": "opus",
  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "/usr/bin/true" }] }] }
}
`;

let folders = 0;

function repository(): string {
  const repo = `/home/alice/repo${++folders}`;
  run(["/bin/sh", "-c", `rm -rf ~/.config; mkdir -p ${repo}/.git ${repo}/src; echo K=1 > ${repo}/.env`]);
  return repo;
}

function hookLine(): string {
  const { hooks } = JSON.parse(readFileSync(SETTINGS, "utf8"));
  return hooks.PreToolUse.at(-1).hooks[0].command;
}

type Action = "allow" | "ask" | "deny" | "none";

/** What the client would do after the hook. Anything but an answer or an exit code of 2 lets the call pass. */
function actionOf({ code, out }: Ran): Action {
  if (code === 2) return "deny";
  const found = /"permissionDecision":"(\w+)"/.exec(out)?.[1];
  return found === "deny" || found === "ask" || found === "allow" ? found : "none";
}

const CALLS = {
  push: { tool_name: "Bash", tool_input: { command: "git push origin main" } },
  kubectl: { tool_name: "Bash", tool_input: { command: "kubectl delete pod x" } },
} as const;

function play(way: MachineWay, repo: string, call: object): Ran {
  const filled = (text: string) => text.replaceAll("{repo}", repo);
  const payload = {
    session_id: `s${Math.random()}`,
    cwd: repo,
    transcript_path: "/dev/null",
    hook_event_name: "PreToolUse",
    ...call,
    ...way.payload,
  };
  const env = Object.fromEntries(
    Object.entries({ CLAUDE_PROJECT_DIR: repo, ...way.env }).map(([name, value]) => [name, filled(value)]),
  );
  const line = hookLine().replace(" || exit 2", `${way.args ?? ""} || exit 2`);
  // With a socket as its input, which Node gives it, bash takes itself for a remote shell, and reads another file.
  const piped = `cat | ${way.shell ?? "/bin/sh"} -c "$1"`;
  return run(["/bin/sh", "-c", piped, "sh", line], { cwd: repo, env, input: JSON.stringify(payload) });
}

function tryWay(way: MachineWay, call: keyof typeof CALLS): Action {
  const repo = repository();
  const before = way.before?.replaceAll("{repo}", repo).replaceAll("{toolkeep}", `'${NODE}' ${MAIN}`);
  if (before !== undefined) run(["/bin/sh", "-c", before], { cwd: repo });
  return actionOf(play(way, repo, CALLS[call]));
}

function ways(): Record<string, readonly Action[]> {
  const some = Object.entries(MACHINE_WAYS).filter(([, { isLong }]) => isWhole || isLong !== true);
  const calls = isWhole ? (["push", "kubectl"] as const) : (["push"] as const);
  return Object.fromEntries(some.map(([name, way]) => [name, calls.map((call) => tryWay(way, call))]));
}

/** The control: the hook as an administrator wrote it by hand, the program of root that `env node` finds. */
function byHand() {
  const before = readFileSync(SETTINGS, "utf8");
  writeFileSync("/run/toolkeep", `#!/usr/bin/env node\nimport("${MAIN}");\n`, { mode: 0o755 });
  const command = "/run/toolkeep hook claude-code || exit 2";
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] };
  writeFileSync(SETTINGS, JSON.stringify({ hooks }));
  const PATH = `${dirname(NODE)}:/usr/bin:/bin`;
  const names = ["nothing is tried", "PATH with a false node", "NODE_OPTIONS that import a module"];
  const tried = names.map((name) => {
    const { env, ...way } = MACHINE_WAYS[name] as MachineWay;
    return tryWay({ ...way, env: { PATH, ...env } }, "kubectl");
  });
  const doctor = toolkeep("doctor --json", { cwd: repository(), env: { PATH } });
  writeFileSync(SETTINGS, before);
  return { tried, doctor };
}

function installing() {
  const refused = {
    user: toolkeep("install claude-code --managed --yes"),
    codex: toolkeep("install codex --managed --yes", { as: "root" }),
    node: (() => {
      const node = "/home/alice/node";
      cpSync(NODE, node);
      chownSync(node, USERS.alice, USERS.alice);
      const ran = toolkeep("install claude-code --managed --yes", { as: "root" }, node);
      rmSync(node);
      return ran;
    })(),
    folder: (() => {
      chmodSync("/etc/claude-code", 0o777);
      const ran = toolkeep("install claude-code --managed --yes", { as: "root" });
      chmodSync("/etc/claude-code", 0o755);
      return ran;
    })(),
    policy: (() => {
      const config = "/etc/toolkeep/config.jsonc";
      const text = readFileSync(config, "utf8");
      rmSync(config);
      const ran = toolkeep("install claude-code --managed --yes", { as: "root" });
      writeFileSync(config, text);
      return ran;
    })(),
  };
  const dry = toolkeep("install claude-code --managed --dry-run", { as: "root" });
  const untouched = readFileSync(SETTINGS, "utf8") === OWN_SETTINGS && !existsSync("/etc/toolkeep/bin");
  const installed = toolkeep("install claude-code --managed --yes", {
    as: "root",
    env: { HOME: "/home/alice" },
  });
  const cursor = toolkeep("install cursor --managed --yes", { as: "root" });
  const again = toolkeep("install claude-code --managed --yes", { as: "root" });
  return {
    refused,
    dry,
    untouched,
    installed,
    again,
    cursor,
    hooks: readFileSync("/etc/cursor/hooks.json", "utf8"),
    settings: readFileSync(SETTINGS, "utf8"),
    servers: readFileSync("/etc/claude-code/managed-mcp.json", "utf8"),
    launcher: readFileSync("/etc/toolkeep/bin/toolkeep", "utf8"),
  };
}

/** A container that has the launcher and the client's settings, and not the policy. */
function withoutPolicy() {
  const config = "/etc/toolkeep/config.jsonc";
  const text = readFileSync(config, "utf8");
  const repo = repository();
  run([
    "/bin/sh",
    "-c",
    `mkdir -p ~/.config/toolkeep; echo '{"mode":"yolo"}' > ~/.config/toolkeep/config.jsonc`,
  ]);
  const calls = () => ({
    kubectl: actionOf(play({}, repo, CALLS.kubectl)),
    status: play({}, repo, { tool_name: "Bash", tool_input: { command: "git status" } }),
  });
  rmSync(config);
  const gone = calls();
  writeFileSync(config, "{}");
  const empty = calls();
  rmSync("/etc/toolkeep/bin/toolkeep");
  const noLauncher = calls();
  writeFileSync(config, text);
  toolkeep("install claude-code --managed --yes", { as: "root" });
  return {
    gone,
    empty,
    noLauncher,
    own: toolkeep("policy explain x", { cwd: repo, env: { TOOLKEEP_REQUIRE_MANAGED: "1" } }).code,
  };
}

setUp();
const hand = byHand();
const install = installing();
const doctor = toolkeep("doctor --json", { cwd: repository() });
const tried = ways();
const server = triedServers({ run, toolkeep, repository, isWhole });
const required = withoutPolicy();
const repo = repository();
const remote = ["mcp__payments__send", "mcp__other__run"].map((tool_name) =>
  play({}, repo, { tool_name, tool_input: {} }),
);
const moved = ["xs", "th/state", "fh/.local"].flatMap((name) => globSync(`/home/alice/*/${name}`));
const LAUNCHER = "/etc/toolkeep/bin/toolkeep";
const uninstall = toolkeep("uninstall claude-code --managed --yes", { as: "root" });
const isKept = existsSync(LAUNCHER);
const restored = readFileSync(SETTINGS, "utf8") === OWN_SETTINGS;
toolkeep("uninstall cursor --managed --yes", { as: "root" });
const written = [LAUNCHER, "/etc/claude-code/managed-mcp.json", "/etc/cursor", "/etc/toolkeep/install"];
const seen = {
  hand,
  install,
  doctor,
  tried,
  server,
  required,
  remote,
  moved,
  uninstall,
  isKept,
  restored,
  left: written.filter(existsSync),
};
export type Seen = typeof seen;
process.stdout.write(`${JSON.stringify(seen)}\n`);
