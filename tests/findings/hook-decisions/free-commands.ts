/** A command that the recommended policy allows without a sandbox, and what it takes from the project besides its args. */
export interface FreeCommand {
  readonly command: string;
  /** What of the project it executes automatically; `nothing` if none of its files. */
  readonly autoExecutes: string;
  /** What stops that, if there is any. */
  readonly heldBy?: string;
  /** How it is known: `run` here, or the page that says so. */
  readonly source: string;
}

const COREUTILS = "GNU coreutils manual: no configuration files";
const GREP = "grep(1) 3.8: GREP_COLORS alone, from the environment";
const DIFFUTILS = "diffutils manual: no configuration files";
const FINDUTILS = "find(1): no configuration files";

function each(names: string, autoExecutes: string, source: string, heldBy?: string): readonly FreeCommand[] {
  return names
    .split(", ")
    .map((command) => ({ command, autoExecutes, source, ...(heldBy === undefined ? {} : { heldBy }) }));
}

const GIT_CONFIG =
  "the configuration of its repository: core.fsmonitor, pagers, filters, textconv, diff drivers";
const GIT_HELD =
  "only the repository of the workspace is taken (git.read); its configuration is no part of a clone";
const GIT_SOURCE =
  "run: git 2.39.5, a repository by cwd, -C, --git-dir, .git files and submodules; git-config(1)";
const HOOKS_HELD = `${GIT_HELD}; hooks of the project are commands of their own`;
const HOOKS_SOURCE = "run: git 2.39.5 with pre-commit and post-checkout; githooks(5)";

/** Every entry of the policy is here, and nothing else; a test walks both ways. */
export const FREE_COMMANDS: readonly FreeCommand[] = [
  ...each(
    "ls, cat, head, tail, wc, nl, tac, du, df, stat, sort, uniq, cut, tr, paste, comm, seq, basename, dirname, realpath, readlink",
    "nothing",
    COREUTILS,
  ),
  ...each("md5sum, sha1sum, sha256sum, sha512sum, pwd, date, uname, id, whoami", "nothing", COREUTILS),
  ...each("echo, printf, true, false, cd", "nothing", "bash manual: builtins"),
  ...each("grep, egrep, fgrep", "nothing", GREP),
  ...each("diff, cmp", "nothing", DIFFUTILS),
  ...each("find", "nothing", FINDUTILS),
  ...each(
    "rg",
    "ignore files, which hide and never run",
    "ripgrep guide: RIPGREP_CONFIG_PATH alone names options",
    "they only make it read less",
  ),
  ...each(
    "tree",
    "nothing",
    "tree(1): `.info` and `.gitignore` only with options that are not allowed, or that hide",
  ),
  ...each("file", "nothing", "file(1): MAGIC and ~/.magic, outside of the project"),
  ...each("column", "nothing", "column(1): no configuration files"),
  ...each("which", "nothing", "which(1): PATH alone"),
  ...each("sed -n", "nothing", "sed manual: no configuration files; the script is held to printing"),
  ...each(
    "sed -E, sed -nE, sed -i",
    "nothing",
    "sed manual: no configuration files; scripts that run or write elsewhere ask",
  ),
  ...each("jq", "nothing", "jq manual: ~/.jq, outside of the project; modules and the environment ask"),
  ...each("awk", "nothing", "POSIX awk: no configuration files; programs that run or write ask"),
  ...each("test, [, command -v, type", "nothing", "bash manual: builtins"),
  ...each(
    "sleep, nproc, uptime, mkdir, touch, cp, mv, rm, rmdir, tee, truncate, chmod +x, chmod u+x, chmod 644, chmod 755",
    "nothing",
    COREUTILS,
  ),
  ...each("ps", "nothing", "ps(1): no configuration files"),
  ...each(
    "curl",
    "nothing",
    "curl(1): ~/.curlrc, outside of the project; requests to servers of this machine",
  ),
  ...each(
    "wget",
    "nothing",
    "wget(1): ~/.wgetrc, outside of the project; requests to servers of this machine",
  ),
  ...each(
    "git check-ignore, git show-ref, git for-each-ref, git reflog show, git config user.name, git config user.email, git config --get, git restore --staged",
    GIT_CONFIG,
    GIT_SOURCE,
    GIT_HELD,
  ),
  ...each("git --version, git -v", "nothing", "run: git 2.39.5 in a folder with a hostile configuration"),
  ...each(
    "node --version, node -v",
    "nothing by itself; shims of version managers read files of the project, as for every program",
    "run: mise 2026.9.15, and substitutes for the others; `program-shims.ts`",
    "a file that says more than a version makes the line not plain",
  ),
  ...each(
    "python --version, python3 --version",
    "nothing by itself; pyenv before 2.3.3 took a path from `.python-version`",
    "run: a substitute for the shim that reads a path; CVE-2022-35861",
    "a file that names a path makes the line not plain",
  ),
  ...each(
    "npm --version, npm -v",
    "nothing",
    "run: npm 11.19.1 with a registry, log and cache folders, a shell and options for node in `.npmrc`",
  ),
  ...each(
    "docker --version, docker -v",
    "nothing",
    "docker CLI reference: DOCKER_CONFIG and ~/.docker alone",
  ),
  ...each(
    "docker ps, docker images, docker logs",
    "nothing",
    "docker CLI reference: contexts of ~/.docker; only compose reads the project",
  ),
  ...each("gh --version, gh -v", "nothing", "gh manual: ~/.config/gh alone"),
  ...[
    "git status, git diff, git log, git show, git blame, git ls-files, git ls-tree, git rev-parse, git rev-list",
    "git merge-base, git describe, git shortlog, git cat-file, git grep, git branch, git tag, git remote",
    "git stash list, git worktree list, git --no-pager",
  ].flatMap((names) => each(names, GIT_CONFIG, GIT_SOURCE, GIT_HELD)),
  ...each("git add, git stash", `${GIT_CONFIG}, post-index-change`, HOOKS_SOURCE, HOOKS_HELD),
  ...each("git commit", `${GIT_CONFIG}, hooks of a commit`, HOOKS_SOURCE, HOOKS_HELD),
  ...each("git checkout -b, git switch -c", `${GIT_CONFIG}, post-checkout`, HOOKS_SOURCE, HOOKS_HELD),
  ...["pr", "issue", "run"].flatMap((what) =>
    each(
      `gh ${what}`,
      "the remotes of the repository",
      "gh manual: a token goes to hosts that the user logged in to",
      "not after private data",
    ),
  ),
];

/** Commands that were allowed without a sandbox, and why they no longer are. */
export const STOPPED_COMMANDS: readonly Required<Omit<FreeCommand, "heldBy">>[] = [
  {
    command: "yarn --version",
    autoExecutes: "`yarnPath` and `plugins` of `.yarnrc.yml`, which it runs",
    source: "reported with yarn 4.18.0; run here: a substitute for it",
  },
  {
    command: "pnpm --version",
    autoExecutes: "`packageManager` of package.json, which it downloads and runs",
    source: "pnpm settings: managePackageManagerVersions",
  },
  {
    command: "cargo --version",
    autoExecutes: "`path` of rust-toolchain.toml, which it runs",
    source: "reported with rustup 1.29.0; run here: a substitute for it",
  },
  {
    command: "rustc --version",
    autoExecutes: "`path` of rust-toolchain.toml, which it runs",
    source: "reported with rustup 1.29.0; run here: a substitute for it",
  },
  {
    command: "go version",
    autoExecutes: "`toolchain` of go.mod, which it downloads and runs",
    source: "go.dev/doc/toolchain",
  },
  {
    command: "npm ls",
    autoExecutes: "`.npmrc`, which expands the environment into addresses and log folders",
    source: "reported with the npm of Node 20",
  },
  {
    command: "npm outdated",
    autoExecutes: "`.npmrc`, which expands the environment into addresses",
    source: "run: the npm of Node 20 and a registry on loopback",
  },
  { command: "npm explain x", autoExecutes: "`.npmrc`", source: "npm documentation, npmrc" },
  { command: "npm list --all", autoExecutes: "`.npmrc`", source: "npm documentation, npmrc" },
  {
    command: "bun --version",
    autoExecutes: "not tried; bunfig.toml is a file of the project",
    source: "bun documentation, bunfig.toml",
  },
  {
    command: "deno --version",
    autoExecutes: "not tried; deno.json is a file of the project",
    source: "deno documentation, configuration",
  },
  {
    command: "tsc --version",
    autoExecutes: "not tried; often a shim of the project's node_modules",
    source: "npm documentation, node_modules/.bin",
  },
];
