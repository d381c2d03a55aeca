import type { Rule } from "../../contract/policy/rule.ts";
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

/** Rules that are alike: one for each permission and each pattern. */
export interface RuleRow extends Pick<Rule, "action" | "if" | "neverRemember" | "because"> {
  /** With spaces between them. */
  readonly permissions: string;
  /** Left out: anything. */
  readonly patterns?: readonly string[];
}

const KEYS = "**/{.ssh,.gnupg,.password-store}/**";
const CREDENTIALS = "**/{.netrc,.git-credentials,.pgpass,.aws/credentials,.kube/config,.docker/config.json}";

const PROFILES =
  "**/{.bashrc,.bash_profile,.bash_login,.profile,.zshrc,.zshenv,.zprofile,.gitconfig,.config/fish/config.fish}";

/**
 * What is run or installed when a person runs a command of the project. Each row begins with a short name, so that a
 * rule on one of the names is more specific than the row.
 */
const DECIDING_FILES = [
  "**/{*.mk,?akefile,GNUmakefile,?ustfile,?askfile.yml,?askfile.yaml,Gemfile,*.gemspec,CMakeLists.txt}",
  "**/{*.mk,package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,*.lock,*.lockb,deno.json,deno.jsonc}",
  "**/{*.mk,pyproject.toml,setup.py,setup.cfg,tox.ini,noxfile.py,Pipfile,Pipfile.lock,*requirements*.txt}",
  "**/{*.mk,Cargo.toml,build.rs,go.mod,go.sum,go.work,*.gradle,*.gradle.kts,gradle-wrapper.properties,gradlew,mvnw,pom.xml}",
  "**/{*.mk,composer.json,mix.exs,*.csproj,*.props,*.targets,Podfile,.bsp/*.json}",
  "**/{*.mk,gradle.properties,Package.swift,*.sbt,build.zig,meson.build,SConstruct,wscript,deps.edn}",
  "**/{*.mk,project.clj,rebar.config,*.pth,*.nix,Vagrantfile,Brewfile,Tiltfile,Earthfile}",
];
const MANIFEST = "**/{*.mk,package.json}";
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
const READING =
  "local.read local.write local.delete vcs.read vcs.write service.read container.read " +
  "k8s.read db.read cloud.read infra.read forge.read package.read";

const OWN_FILES = "**/.toolkeep/**";
const POLICY = "{workspace}/{policy,toolkeep}.{yaml,yml}";
const GIT_INTERNALS = "**/.git/**";

/** The rules of the recommended policy, but for those on Toolkeep's own commands. */
export const RECOMMENDED_ROWS: readonly RuleRow[] = [
  { action: "allow", permissions: "fs.read", patterns: ["{workspace}/**", ...SYSTEM_FILES, TEMPORARY_FILES] },
  { action: "allow", permissions: "fs.write", patterns: ["{workspace}/**", TEMPORARY_FILES] },
  // A sandbox has temporary files of its own.
  { action: "allow", permissions: "fs.read fs.write fs.delete", patterns: ["{tmp}/**"], if: ["sandboxed"] },
  { action: "allow", permissions: "fs.read", patterns: ["**/.claude/CLAUDE.md"] },
  { action: "ask", permissions: "fs.write", patterns: DECIDING_FILES, because: DECIDES },
  // In a sandbox, versions may be changed as an installation there may change them.
  { action: "ask", permissions: "fs.write", patterns: [MANIFEST], if: ["not sandboxed"], because: DECIDES },
  {
    action: "ask",
    permissions: "fs.write",
    patterns: [MANIFEST],
    if: ["not versions-only"],
    because: DECIDES,
  },
  {
    action: "ask",
    permissions: "fs.write",
    patterns: [AGENT_FILES],
    because: "Agents follow it in every later session",
  },
  {
    action: "ask",
    permissions: "fs.write",
    patterns: [INSTALLED],
    because: "It writes where packages are installed",
  },
  { action: "deny", permissions: "fs.*", patterns: [KEYS], because: "Keys stay where they are" },
  {
    action: "deny",
    permissions: "fs.*",
    patterns: [CREDENTIALS],
    because: "Credentials stay where they are",
  },
  {
    action: "allow",
    permissions: "shell.run",
    patterns: [...LOOKING, ...SHOWING, ...WRITING, ...KEEPING],
  },
  // What the catalogue knows to look at something, or to write no more than the files it names.
  { action: "allow", permissions: READING },
  { action: "allow", permissions: "net.read", patterns: ["{npm,pnpm,yarn,bun,helm}"], if: ["not private"] },
  // What a statement says is known to the host that it is sent to.
  { action: "allow", permissions: "db.reach", patterns: ["*"], if: ["not private"] },
  {
    action: "allow",
    permissions: "infra.plan vcs.fetch vcs.switch project.load project.run",
    patterns: ["*"],
    if: ["trusted"],
  },
  {
    action: "allow",
    permissions: "vcs.switch project.load project.run",
    patterns: ["*"],
    if: ["sandboxed"],
  },
  // Development servers of this machine.
  { action: "allow", permissions: "shell.run", patterns: ["*"], if: ["local-read", "not private"] },
  { action: "allow", permissions: "git.commit", patterns: ["*"], if: ["not forced"] },
  // A folder elsewhere may be a repository with a configuration of unknown origin, and git runs the programs it names.
  { action: "allow", permissions: "git.read", patterns: ["{workspace}"] },
  {
    action: "allow",
    permissions: "shell.run",
    patterns: ["gh {pr,issue,run} {list,view,diff,checks} *"],
    if: ["not private"],
  },
  // Code of the project with the rights of the user: only where a sandbox holds it, or where the user trusts it.
  {
    action: "allow",
    permissions: "shell.run",
    patterns: [...BUILDING, ...RUNNING_FILES, ...SWITCHING],
    if: ["sandboxed"],
  },
  { action: "allow", permissions: "shell.run", patterns: [...BUILDING, ...FOLLOWING], if: ["trusted"] },
  { action: "allow", permissions: "shell.run", patterns: ["*"], if: ["sandboxed", "own-code"] },
  { action: "allow", permissions: "shell.run", patterns: ["*"], if: ["trusted", "own-code"] },
  // Scripts of packages run in the sandbox, where only the registry can be reached.
  { action: "allow", permissions: "shell.run", patterns: INSTALLING, if: ["sandboxed", "not private"] },
  {
    action: "ask",
    permissions: "shell.run",
    patterns: LEAVING,
    because: "Scripts with such a name often change more than the project",
  },
  {
    action: "ask",
    permissions: "shell.run",
    patterns: SHOWING_ENVIRONMENT,
    because: "It shows the environment, with the secrets in it",
  },
  { action: "allow", permissions: "net.search", patterns: ["*"], if: ["not private"] },
  { action: "allow", permissions: "net.fetch", patterns: READING_HOSTS, if: ["not private"] },
  { action: "ask", permissions: "fs.delete" },
  {
    action: "ask",
    permissions: "fs.write",
    patterns: [POLICY],
    neverRemember: true,
    because: "It decides what may be done",
  },
  {
    action: "deny",
    permissions: "fs.write fs.delete",
    patterns: [OWN_FILES],
    because: "It decides what may be done",
  },
  {
    action: "deny",
    permissions: "fs.write fs.delete",
    patterns: [GIT_INTERNALS],
    because:
      "Only git may change files in `.git`, and only the user, in a terminal, its settings: they name programs that git runs",
  },
  {
    action: "deny",
    permissions: "fs.write fs.delete",
    patterns: [PROFILES],
    because: "It runs whenever a shell or git starts",
  },
  {
    action: "ask",
    permissions: "git.push",
    patterns: ["*"],
    neverRemember: true,
    because: "It sends commits off this machine",
  },
  {
    action: "deny",
    permissions: "git.push",
    patterns: ["*"],
    if: ["forced"],
    because: "It rewrites what others have",
  },
  {
    action: "ask",
    permissions: "package.publish",
    patterns: ["*"],
    neverRemember: true,
    because: "It publishes something for others",
  },
];
