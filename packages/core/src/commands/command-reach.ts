import { bareName, formsOf } from "./command-forms.ts";
import { isHarmlessOperand } from "./harmless-operands.ts";

interface Reach {
  /** It may send something off this machine. Whatever is not known to stay here may. */
  readonly leaves: boolean;
  /** It takes in content from outside. */
  readonly brings: boolean;
}

/** Where a command reaches, by its words. */
export function reachOf(argv: readonly string[]): Reach {
  if (isLocal(argv)) return STAYS;
  return brings(argv) ? BRINGS : LEAVES;
}

const STAYS: Reach = Object.freeze({ leaves: false, brings: false });
const LEAVES: Reach = Object.freeze({ leaves: true, brings: false });
const BRINGS: Reach = Object.freeze({ leaves: true, brings: true });

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const LOCAL = wordSet(
  "ls cat head tail wc grep egrep fgrep rg sort uniq find tree du df stat file which echo printf pwd date cd mkdir rmdir " +
    "cp mv rm touch chmod ln basename dirname realpath readlink cut tr paste comm diff cmp nl tac rev seq sleep jq column " +
    "md5sum sha1sum sha256sum sha512sum true false test [ : tsc id whoami uname ps sed",
);

const LOCAL_GIT = wordSet(
  "status diff log show add commit branch stash checkout switch restore rev-parse rev-list blame ls-files ls-tree tag " +
    "merge rebase init grep reflog describe shortlog cat-file merge-base reset rm mv cherry-pick revert worktree",
);

/** Options by which a command that stays here runs another, for those that have them. */
const RUNNING: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|ok)/,
  rg: /^(?:--pre|--hostname-bin|--search-zip|-[A-Za-z]*z)/,
  sort: /^--co/,
  git: /^(?:--ex(?!clude|it)|--textconv|--op|--str|--show-sig|--gpg|-[A-Za-z]*[xO])/,
};

const SYSTEM_FOLDER = /^\/(?:usr\/)?bin\/[^/]+$/;

function isLocal(argv: readonly string[]): boolean {
  const path = argv[0] ?? "";
  const name = SYSTEM_FOLDER.test(path) ? bareName(path) : path;
  const running = Object.hasOwn(RUNNING, name) ? RUNNING[name] : undefined;
  if (running !== undefined && argv.some((word, index) => index > 0 && running.test(word))) return false;
  if (name === "git") return isLocalGit(argv);
  if (!LOCAL.has(name)) return false;
  return name !== "sed" || isHarmlessSed(argv);
}

/** A setting that is given with the command may name a program to run. */
function isLocalGit(argv: readonly string[]): boolean {
  let at = 1;
  while (argv[at] === "-C" || argv[at] === "--no-pager") at += argv[at] === "-C" ? 2 : 1;
  return LOCAL_GIT.has(argv[at] ?? "");
}

function isHarmlessSed(argv: readonly string[]): boolean {
  return argv.every(
    (word, index) =>
      index === 0 ||
      (word.startsWith("-")
        ? /^-[nErsuz]+$/.test(word)
        : isHarmlessOperand(["sed", ...argv.slice(1)], index)),
  );
}

const BRINGING = wordSet(
  "curl wget http https xh aria2c scp sftp rsync ftp lftp ssh nc ncat netcat telnet socat lynx w3m links dig host nslookup " +
    "gh glab hub brew apt apt-get apk dnf yum pacman snap gem bundle composer pipx conda mamba helm kubectl aws gcloud az " +
    "gsutil rclone svn hg bunx pnpx uvx yt-dlp",
);

const INSTALLS = wordSet(
  "add install i ci in it get update up upgrade dlx exec x create init view info outdated audit",
);

/** Subcommands that take something in from outside. */
const BRINGING_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: wordSet("clone fetch pull ls-remote submodule remote archive lfs svn"),
  npm: INSTALLS,
  pnpm: INSTALLS,
  yarn: INSTALLS,
  bun: INSTALLS,
  deno: INSTALLS,
  pip: wordSet("install download wheel index search"),
  pip3: wordSet("install download wheel index search"),
  uv: wordSet("add sync pip tool lock run"),
  poetry: wordSet("add install update lock"),
  cargo: wordSet("add install fetch update search"),
  go: wordSet("get install mod work"),
  docker: wordSet("pull run build compose search"),
  podman: wordSet("pull run build compose search"),
  terraform: wordSet("init get"),
};

/** Tools that a project has installed for itself. */
const LOCAL_TOOLS = wordSet(
  "tsc eslint biome prettier vitest jest mocha ava vite webpack rollup esbuild tsx turbo nx knip",
);

const ADDRESS = /^(?:[\w.-]+=)?(?:https?|ftp|sftp|ssh|git|wss?):\/\//i;

function brings(argv: readonly string[]): boolean {
  if (argv.some((word) => ADDRESS.test(word))) return true;
  return formsOf(argv).some(([name = "", ...rest]) => {
    if (BRINGING.has(name)) return true;
    if (/^python\d?(?:\.\d+)?$/.test(name) && rest[0] === "-m") return brings(rest.slice(1));
    if (name === "npx") return !LOCAL_TOOLS.has(rest.find((word) => !word.startsWith("-")) ?? "");
    const subcommands = Object.hasOwn(BRINGING_SUBCOMMANDS, name) ? BRINGING_SUBCOMMANDS[name] : undefined;
    if (name === "yarn" && rest.length === 0) return true;
    return subcommands?.has(rest[0] ?? "") === true;
  });
}
