import type { Condition, Rule } from "../contract/rule.ts";
import type { WatchdogSettings } from "../contract/watchdog.ts";

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
 * Commands that read files and print. None of them loads code or settings of the project: those are under
 * `BUILDING`, also with `--version` only.
 */
const LOOKING = [
  "{ls,cat,head,tail,wc,nl,tac,grep,egrep,fgrep,rg,find,tree,du,df,stat,file,diff,cmp,comm} *",
  "{sort,uniq,cut,tr,paste,column,seq,basename,dirname,realpath,readlink} *",
  "{md5sum,sha1sum,sha256sum,sha512sum} *",
  "{pwd,which,type,date,echo,printf,true,false,uname,id,whoami,cd,sleep,nproc,uptime} *",
  "{jq,awk,ps,test,[} *",
  "command -v *",
  "sed {-n,-E,-nE,-En} *",
  "{git,node,npm,docker,gh} {--version,-v}",
  "{python,python3} --version",
  "docker {ps,images,logs} *",
];

/** Git commands that only read. */
const SHOWING = [
  "git {status,diff,log,show,blame,ls-files,ls-tree,rev-parse,rev-list,merge-base,describe,shortlog,cat-file,grep} *",
  "git branch",
  "git branch {-a,-r,-v,-vv,--all,--list,--remotes,--show-current}",
  "git {tag,remote}",
  "git {tag --list,remote -v,stash list,worktree list}",
  "git --no-pager {status,diff,log,show,blame} *",
  "git {check-ignore,show-ref,for-each-ref,reflog,stash show} *",
  "git config {user.name,user.email}",
  "git config --get {user.name,user.email,remote.origin.url,init.defaultBranch}",
];

/** Commands whose whole effect is that on files, which other rules decide about. */
const WRITING = ["{mkdir,touch,cp,mv,rm,rmdir,ln,tee,truncate,install} *", "sed {-i,-Ei,-i -E,-E -i} *"];

/** Git commands whose changes git can undo. */
const KEEPING = [
  "git add *",
  "git commit *",
  // A start point would check out its own files.
  "git {checkout -b,switch -c} ?*",
  "git stash",
  "git stash {push *,pop,apply}",
  "git tag ?*",
  "git tag -a ?* -m ?*",
  "git branch ?*",
];

/** They run code of the project, or programs that its settings name, so they need a sandbox. */
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
  // Every further argument of these is another task.
  "make {test,lint,check,build}",
  "{mvn,gradle,./mvnw,./gradlew} {test,build}",
];

/** Commands with which the user answers approvals: a model that runs them would approve its own calls. */
const DECIDING = "{approve,reject,answer,trust,servers,install,uninstall,gateway} *";
const RUNNERS = "{npx,bunx,pnpx,npm exec,npm x,pnpm exec,pnpm dlx,yarn dlx,bun x}";
const PACKAGE = "{toolkeep,toolkeep@*}";
const PROGRAM = "{*/cli/dist/main.js,*/toolkeep/dist/main.js}";
/** Options before the command: a `*` inside a pattern is one word. */
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

/** Denies for writing and for deleting. */
function untouched(pattern: string, because: string): readonly Rule[] {
  return ["fs.write", "fs.delete"].map((permission) => rule("deny", permission, pattern, { because }));
}

const RECOMMENDED_RULES: readonly Rule[] = Object.freeze([
  rule("allow", "fs.read", "{workspace}/**"),
  rule("allow", "fs.write", SOURCES),
  rule("deny", "fs.*", KEYS, { because: "Keys stay where they are" }),
  rule("deny", "fs.*", CREDENTIALS, { because: "Credentials stay where they are" }),
  ...allowCommands([...LOOKING, ...SHOWING, ...WRITING]),
  ...allowCommands(KEEPING),
  rule("allow", "git.commit", "*", { if: ["not forced"] }),
  // A folder elsewhere may be a repository with a configuration of unknown origin, and git runs the programs it names.
  rule("allow", "git.read", "{workspace}"),
  ...allowCommands(["gh {pr,issue,run} {list,view,diff,checks} *"], ["not private"]),
  ...allowCommands(BUILDING, ["sandboxed"]),
  rule("allow", "net.fetch", READING_HOSTS, { if: ["not private"] }),
  rule("ask", "fs.delete"),
  rule("ask", "fs.write", POLICY, { neverRemember: true, because: "It decides what may be done" }),
  ...untouched(OWN_FILES, "It decides what may be done"),
  ...untouched(GIT_INTERNALS, "Only git may change them"),
  ...untouched(PROFILES, "It runs whenever a shell or git starts"),
  rule("ask", "git.push", "*", { neverRemember: true, because: "It leaves this machine" }),
  rule("deny", "git.push", "*", { if: ["forced"], because: "It rewrites what others have" }),
  rule("ask", "package.publish", "*", { neverRemember: true, because: "It leaves this machine" }),
  ...ANSWERING.map((pattern) => rule("deny", "shell.run", pattern, { because: "A person decides with it" })),
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
 * A policy to start from: reading, editing sources and committing are allowed, running the project's
 * own checks is allowed in a sandbox, and what sends data or cannot be undone
 * asks. Everything else asks, too.
 */
export const RECOMMENDED_POLICY: {
  readonly rules: readonly Rule[];
  readonly builtIn: WatchdogSettings;
} = Object.freeze({ rules: RECOMMENDED_RULES, builtIn: RECOMMENDED_WATCHDOGS });
