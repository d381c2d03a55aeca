import type { WatchdogSettings } from "../../contract/policy/decision.ts";
import type { Condition, Rule } from "../../contract/policy/rule.ts";
import { READING_HOSTS } from "./reading-hosts.ts";
import {
  BUILDING,
  FOLLOWING,
  INSTALLING,
  KEEPING,
  LEAVING,
  LOOKING,
  RUNNING_FILES,
  SHOWING,
  SHOWING_ENVIRONMENT,
  SWITCHING,
  WRITING,
} from "./recommended-commands.ts";

/** `at` of these rules. */
const AT = "toolkeep:recommended";

type Fields = Pick<Rule, "if" | "neverRemember" | "because">;

function rule(action: Rule["action"], permission: string, pattern?: string, fields: Fields = {}): Rule {
  return Object.freeze({
    permission,
    ...(pattern === undefined ? {} : { pattern }),
    action,
    scope: "project",
    ...fields,
    at: AT,
  });
}

function allowCommands(patterns: readonly string[], conditions?: readonly Condition[]): readonly Rule[] {
  const fields = conditions === undefined ? {} : { if: conditions };
  return patterns.map((pattern) => rule("allow", "shell.run", pattern, fields));
}

/**
 * Commands with which the user answers approvals, and those that a client starts to have calls decided and run: a model
 * that runs them would approve its own calls, or report what it likes about them.
 */
const DECIDING = [
  "{approve,reject,answer,trust,servers,init,install,uninstall,allow,ask,deny,pause} *",
  "{approvals,gateway,decider,exec,hook,call,policy import} *",
];
const RUNNERS = "{npx,bunx,pnpx,npm exec,npm x,pnpm exec,pnpm dlx,yarn dlx,bun x}";
const PACKAGE = "{toolkeep,toolkeep@*}";
const PROGRAM = "{*/cli/dist/main.js,*/toolkeep/dist/main.js}";
/** Options before the command: a `*` inside a pattern is one word. */
const GAPS = [" ", " * ", " * * "];

const ANSWERING = GAPS.flatMap((gap) =>
  DECIDING.flatMap((deciding) => [
    `toolkeep${gap}${deciding}`,
    `${RUNNERS}${gap}${PACKAGE} ${deciding}`,
    `${RUNNERS}${gap}${PACKAGE} * ${deciding}`,
    `{node,bun,deno,tsx}${gap}${PROGRAM} ${deciding}`,
    `{node,bun,deno,tsx}${gap}${PROGRAM} * ${deciding}`,
  ]),
);

const KEYS = "**/{.ssh,.gnupg,.password-store}/**";
const CREDENTIALS = "**/{.netrc,.git-credentials,.pgpass,.aws/credentials,.kube/config,.docker/config.json}";

const PROFILES =
  "**/{.bashrc,.bash_profile,.bash_login,.profile,.zshrc,.zshenv,.zprofile,.gitconfig,.config/fish/config.fish}";

/**
 * What is run or installed when a person runs a command of the project. Each row begins with a short name, so that a
 * rule on one of the names is more specific than the row.
 */
const DECIDING_FILES = [
  "*.mk,?akefile,GNUmakefile,?ustfile,?askfile.yml,?askfile.yaml,Gemfile,*.gemspec,CMakeLists.txt",
  "*.mk,package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,*.lock,*.lockb,deno.json,deno.jsonc",
  "*.mk,pyproject.toml,setup.py,setup.cfg,tox.ini,noxfile.py,Pipfile,Pipfile.lock,*requirements*.txt",
  "*.mk,Cargo.toml,build.rs,go.mod,go.sum,go.work,*.gradle,*.gradle.kts,gradle-wrapper.properties,gradlew,mvnw,pom.xml",
  "*.mk,composer.json,mix.exs,*.csproj,*.props,*.targets,Podfile,.bsp/*.json",
  "*.mk,gradle.properties,Package.swift,*.sbt,build.zig,meson.build,SConstruct,wscript,deps.edn",
  "*.mk,project.clj,rebar.config,*.pth,*.nix,Vagrantfile,Brewfile,Tiltfile,Earthfile",
];
const DECIDES = "It decides what commands run or what is installed";
const AGENT_FILES =
  "**/{AGENTS.md,CLAUDE.md,CLAUDE.local.md,GEMINI.md,.cursorrules,.windsurfrules,.clinerules,copilot-instructions.md}";
/** Others wrote what lies in them, and programs load it. */
const INSTALLED = "**/{node_modules,site-packages,.venv,venv}/**";

/** The system's own files, which are the same on every machine. */
const SYSTEM_FILES = [
  "/usr/{bin,include,lib,lib64,share,local/bin,local/include,local/lib,local/share}/**",
  "/etc/{os-release,lsb-release,debian_version,alpine-release,timezone}",
];
/** Some of the temporary files that every program of the machine shares: other programs load none of these. */
const TEMPORARY_FILES =
  "{tmp}/*.{log,txt,out,err,md,csv,tsv,json,jsonl,diff,patch,html,xml,pid,prof,png,svg,pdf,tar,gz,tgz,zip}";

/** What a command does without a question: rules on files decide about those that it names. */
const READING = [
  ...["local.read", "local.write", "local.delete", "vcs.read", "vcs.write", "service.read", "container.read"],
  ...["k8s.read", "db.read", "cloud.read", "infra.read", "forge.read", "package.read"],
];

const OWN_FILES = "**/.toolkeep/**";
const POLICY = "{workspace}/{policy,toolkeep}.{yaml,yml}";
const GIT_INTERNALS = "**/.git/**";

/** Denies for writing and for deleting. */
function untouched(pattern: string, because: string): readonly Rule[] {
  return ["fs.write", "fs.delete"].map((permission) => rule("deny", permission, pattern, { because }));
}

const RECOMMENDED_RULES: readonly Rule[] = Object.freeze([
  rule("allow", "fs.read", "{workspace}/**"),
  ...SYSTEM_FILES.map((pattern) => rule("allow", "fs.read", pattern)),
  rule("allow", "fs.read", TEMPORARY_FILES),
  rule("allow", "fs.write", "{workspace}/**"),
  rule("allow", "fs.write", TEMPORARY_FILES),
  // A sandbox has temporary files of its own.
  ...["fs.read", "fs.write", "fs.delete"].map((permission) =>
    rule("allow", permission, "{tmp}/**", { if: ["sandboxed"] }),
  ),
  rule("allow", "fs.read", "**/.claude/CLAUDE.md"),
  ...DECIDING_FILES.map((names) => rule("ask", "fs.write", `**/{${names}}`, { because: DECIDES })),
  // In a sandbox, versions may be changed as an installation there may change them.
  ...(["not sandboxed", "not versions-only"] as const).map((condition) =>
    rule("ask", "fs.write", "**/{*.mk,package.json}", { if: [condition], because: DECIDES }),
  ),
  rule("ask", "fs.write", AGENT_FILES, { because: "Agents follow it in every later session" }),
  rule("ask", "fs.write", INSTALLED, {
    because: "It writes where packages are installed",
  }),
  rule("deny", "fs.*", KEYS, { because: "Keys stay where they are" }),
  rule("deny", "fs.*", CREDENTIALS, { because: "Credentials stay where they are" }),
  ...allowCommands([...LOOKING, ...SHOWING, ...WRITING, ...KEEPING]),
  // What the catalogue knows to look at something, or to write no more than the files it names.
  ...READING.map((capability) => rule("allow", capability)),
  rule("allow", "net.read", "{npm,pnpm,yarn,bun,helm}", { if: ["not private"] }),
  ...["infra.plan", "vcs.fetch", "vcs.switch", "project.load", "project.run"].map((capability) =>
    rule("allow", capability, "*", { if: ["trusted"] }),
  ),
  ...["vcs.switch", "project.load", "project.run"].map((capability) =>
    rule("allow", capability, "*", { if: ["sandboxed"] }),
  ),
  // Development servers of this machine.
  ...allowCommands(["*"], ["local-read", "not private"]),
  rule("allow", "git.commit", "*", { if: ["not forced"] }),
  // A folder elsewhere may be a repository with a configuration of unknown origin, and git runs the programs it names.
  rule("allow", "git.read", "{workspace}"),
  ...allowCommands(["gh {pr,issue,run} {list,view,diff,checks} *"], ["not private"]),
  // Code of the project with the rights of the user: only where a sandbox holds it, or where the user trusts it.
  ...allowCommands([...BUILDING, ...RUNNING_FILES, ...SWITCHING], ["sandboxed"]),
  ...allowCommands([...BUILDING, ...FOLLOWING], ["trusted"]),
  ...(["sandboxed", "trusted"] as const).flatMap((held) => allowCommands(["*"], [held, "own-code"])),
  // Scripts of packages run in the sandbox, where only the registry can be reached.
  ...allowCommands(INSTALLING, ["sandboxed", "not private"]),
  ...LEAVING.map((pattern) =>
    rule("ask", "shell.run", pattern, {
      because: "Scripts with such a name often change more than the project",
    }),
  ),
  ...SHOWING_ENVIRONMENT.map((pattern) =>
    rule("ask", "shell.run", pattern, { because: "It shows the environment, with the secrets in it" }),
  ),
  rule("allow", "net.search", "*", { if: ["not private"] }),
  ...READING_HOSTS.map((hosts) => rule("allow", "net.fetch", hosts, { if: ["not private"] })),
  rule("ask", "fs.delete"),
  rule("ask", "fs.write", POLICY, { neverRemember: true, because: "It decides what may be done" }),
  ...untouched(OWN_FILES, "It decides what may be done"),
  ...untouched(
    GIT_INTERNALS,
    "Only git may change files in `.git`, and only the user, in a terminal, its settings: they name programs that git runs",
  ),
  ...untouched(PROFILES, "It runs whenever a shell or git starts"),
  rule("ask", "git.push", "*", { neverRemember: true, because: "It sends commits off this machine" }),
  rule("deny", "git.push", "*", { if: ["forced"], because: "It rewrites what others have" }),
  rule("ask", "package.publish", "*", { neverRemember: true, because: "It publishes something for others" }),
  ...ANSWERING.map((pattern) =>
    rule("deny", "shell.run", pattern, { because: "Only a person or a client decides with it" }),
  ),
]);

/** Settings of the built-in watchdogs for these rules. */
const RECOMMENDED_WATCHDOGS: WatchdogSettings = Object.freeze({
  secrets: "deny",
  "rule-of-two": "ask",
  exfiltration: "ask",
  "protected-names": "ask",
  loop: 5,
});

/**
 * A policy to start from: reading, editing and committing in the workspace are allowed, running the project's own
 * checks is allowed in a sandbox or in a project that the user trusts, and what decides what runs, sends data or cannot
 * be undone asks. Everything else asks, too.
 */
export const RECOMMENDED_POLICY: {
  readonly rules: readonly Rule[];
  readonly builtIn: WatchdogSettings;
} = Object.freeze({ rules: RECOMMENDED_RULES, builtIn: RECOMMENDED_WATCHDOGS });
