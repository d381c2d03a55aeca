import type { Condition, Rule } from "../contract/rule.ts";
import type { WatchdogSettings } from "../contract/watchdog.ts";

/** Where these rules are written, for whoever meets one. */
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
 * Commands that look at files and print. None of them loads code or settings of the project: what does so is under
 * `BUILDING`, also where it is only asked for its version.
 */
const LOOKING = [
  "{ls,cat,head,tail,wc,nl,tac,grep,egrep,fgrep,rg,find,tree,du,df,stat,file,diff,cmp,comm} *",
  "{sort,uniq,cut,tr,paste,column,seq,basename,dirname,realpath,readlink} *",
  "{md5sum,sha1sum,sha256sum,sha512sum} *",
  "{pwd,which,date,echo,printf,true,false,uname,id,whoami,cd} *",
  "sed -n *",
  "{git,node,npm,docker,gh} {--version,-v}",
  "{python,python3} --version",
  "docker {ps,images,logs} *",
];

/** Git, as far as it only shows. */
const SHOWING = [
  "git {status,diff,log,show,blame,ls-files,ls-tree,rev-parse,rev-list,merge-base,describe,shortlog,cat-file,grep} *",
  "git branch",
  "git branch {-a,-r,-v,-vv,--all,--list,--remotes,--show-current}",
  "git {tag,remote}",
  "git {tag --list,remote -v,stash list,worktree list}",
  "git --no-pager {status,diff,log,show,blame} *",
];

/** Git, as far as it changes nothing that it cannot bring back. */
const KEEPING = [
  "git add *",
  "git commit *",
  // A start point would bring its own files with it.
  "git {checkout -b,switch -c} ?*",
  "git stash",
  "git stash {push *,pop}",
];

/** They run the project's own code, or what its settings name, so they need a sandbox around them. */
const BUILDING = [
  "{pnpm,yarn,bun,deno,cargo,rustc,tsc} {--version,-v}",
  "go version",
  "npm {ls,list,outdated,explain} *",
  "{.husky,.githooks,.git/hooks}/*",
  "{npm,pnpm,yarn,bun} {test,run test,run lint,run build,run typecheck,run types,run check,run format} *",
  "pnpm {build,lint,typecheck,ls,list,outdated,why} *",
  "docker compose {ps,logs} *",
  "pnpm -r {test,build,lint,typecheck} *",
  "{npm,pnpm} run -s {test,lint,build,typecheck,types,check,format} *",
  "npx {tsc,eslint,biome,prettier,vitest,jest} *",
  "{tsc,eslint,biome,prettier,vitest,jest,pytest,ruff,mypy} *",
  "{python,python3} -m {pytest,unittest,mypy,ruff} *",
  "cargo {test,check,build,clippy,fmt} *",
  "go {test,vet,build,fmt} *",
  "dotnet {test,build} *",
  // Whatever follows these is one more thing to do.
  "make {test,lint,check,build}",
  "{mvn,gradle,./mvnw,./gradlew} {test,build}",
];

/** What a person decides with: a model that could say these would answer its own questions. */
const DECIDING = "{approve,reject,answer,servers,install,uninstall,gateway} *";
const RUNNERS = "{npx,bunx,pnpx,npm exec,npm x,pnpm exec,pnpm dlx,yarn dlx,bun x}";
const PACKAGE = "{toolkeep,toolkeep@*}";
const PROGRAM = "{*/cli/dist/main.js,*/toolkeep/dist/main.js}";
/** Options before the command; a pattern has one word for each `*`. */
const GAPS = [" ", " * ", " * * "];

const ANSWERING = GAPS.flatMap((gap) => [
  `toolkeep${gap}${DECIDING}`,
  `${RUNNERS}${gap}${PACKAGE} ${DECIDING}`,
  `${RUNNERS}${gap}${PACKAGE} * ${DECIDING}`,
  `{node,bun,deno,tsx}${gap}${PROGRAM} ${DECIDING}`,
  `{node,bun,deno,tsx}${gap}${PROGRAM} * ${DECIDING}`,
]);

/** Where documentation and package metadata are read. */
const READING_HOSTS =
  "{developer.mozilla.org,nodejs.org,registry.npmjs.org,docs.python.org,pypi.org,docs.rs,crates.io,pkg.go.dev}";

const KEYS = "**/{.ssh,.gnupg,.password-store}/**";
const CREDENTIALS = "**/{.netrc,.git-credentials,.pgpass,.aws/credentials,.kube/config,.docker/config.json}";

const PROFILES =
  "**/{.bashrc,.bash_profile,.bash_login,.profile,.zshrc,.zshenv,.zprofile,.gitconfig,.config/fish/config.fish}";

const SOURCES = "{workspace}/{src,lib,test,tests,docs,packages}/**";
const OWN_FILES = "**/.toolkeep/**";
const POLICY = "{workspace}/{policy,toolkeep}.{yaml,yml}";
const GIT_INTERNALS = "**/.git/**";

/** Denies that hold for writing and deleting alike. */
function untouched(pattern: string, because: string): readonly Rule[] {
  return ["fs.write", "fs.delete"].map((permission) => rule("deny", permission, pattern, { because }));
}

const RECOMMENDED_RULES: readonly Rule[] = Object.freeze([
  rule("allow", "fs.read", "{workspace}/**"),
  rule("allow", "fs.write", SOURCES),
  rule("deny", "fs.*", KEYS, { because: "Keys stay where they are" }),
  rule("deny", "fs.*", CREDENTIALS, { because: "Credentials stay where they are" }),
  ...allowCommands([...LOOKING, ...SHOWING]),
  ...allowCommands(KEEPING),
  rule("allow", "git.commit", "*", { if: ["not forced"] }),
  // Elsewhere a folder may be a repository with a configuration that came with it, and git runs what that names.
  rule("allow", "git.read", "{workspace}"),
  ...allowCommands(["gh {pr,issue,run} {list,view,diff,checks} *"], ["not private"]),
  ...allowCommands(BUILDING, ["sandboxed"]),
  rule("allow", "net.fetch", READING_HOSTS, { if: ["not private"] }),
  rule("ask", "fs.delete"),
  rule("ask", "fs.write", POLICY, { neverRemember: true, because: "It decides what may be done" }),
  ...untouched(OWN_FILES, "It decides what may be done"),
  ...untouched(GIT_INTERNALS, "Git changes them, nobody else"),
  ...untouched(PROFILES, "It runs whenever a shell or git starts"),
  rule("ask", "git.push", "*", { neverRemember: true, because: "It leaves this machine" }),
  rule("deny", "git.push", "*", { if: ["forced"], because: "It rewrites what others have" }),
  rule("ask", "package.publish", "*", { neverRemember: true, because: "It leaves this machine" }),
  ...ANSWERING.map((pattern) => rule("deny", "shell.run", pattern, { because: "A person decides with it" })),
]);

/** How the watchdogs that ship are set for these rules. */
const RECOMMENDED_WATCHDOGS: WatchdogSettings = Object.freeze({
  secrets: "deny",
  "rule-of-two": "ask",
  exfiltration: "ask",
  "protected-names": "ask",
  loop: 5,
});

/**
 * What a project may start from: looking around, editing sources and committing are free, running the
 * project's own checks is free behind walls, and what leaves the machine or cannot be taken back is
 * asked. What is not named here asks, as always.
 */
export const RECOMMENDED_POLICY: {
  readonly rules: readonly Rule[];
  readonly builtIn: WatchdogSettings;
} = Object.freeze({ rules: RECOMMENDED_RULES, builtIn: RECOMMENDED_WATCHDOGS });
