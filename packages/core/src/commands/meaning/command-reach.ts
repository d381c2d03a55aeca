import { isLoopbackAddress } from "../../contract/values/loopback.ts";
import { bareName, formsOf } from "../forms/command-forms.ts";
import { isHarmlessOperand } from "../options/harmless-operands.ts";
import { asksThisMachine } from "./local-requests.ts";

interface Reach {
  /** It may send something off this machine. Whatever is not known to stay here may. */
  readonly leaves: boolean;
  /** It takes in content from outside. */
  readonly brings: boolean;
}

/** Where a command reaches, by its words. */
export function reachOf(argv: readonly string[]): Reach {
  if (isLocal(argv) || asksThisMachine(argv)) return STAYS;
  return brings(argv) ? BRINGS : LEAVES;
}

/** Whether a command is known to stay on this machine and to run nothing else. */
export function isLocalCommand(argv: readonly string[]): boolean {
  return isLocal(argv);
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
    "md5sum sha1sum sha256sum sha512sum true false test [ : tsc id whoami uname ps sed printenv awk tee " +
    // What these run is a command of its own.
    "truncate fold timeout nice xargs set wait exit type",
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
  if (running !== undefined && argv.some((word, index) => index > 0 && running.test(word)))
    return name === "find" && runByFind(argv).every(isLocal);
  if (name === "git") return isLocalGit(argv);
  // Without a command it prints the environment.
  if (name === "env") return argv.slice(1).every((word) => /^(?:-0|--null)$/.test(word));
  if (!LOCAL.has(name)) return false;
  if (name === "awk")
    return argv.length > 1 && argv.every((_word, index) => index === 0 || isHarmlessOperand(argv, index));
  return name !== "sed" || isHarmlessSed(argv);
}

/** The commands that `find` runs for what it finds. */
function runByFind(argv: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (let at = 1; at < argv.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(argv[at] ?? "")) continue;
    const end = argv.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    found.push(argv.slice(at + 1, end === -1 ? undefined : end));
    at = end === -1 ? argv.length : end;
  }
  return found;
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

const FETCHING = wordSet("curl wget aria2c scp sftp rsync lftp lynx w3m xh yt-dlp gh glab");

/** Programs that run code which is given to them, or whatever a project says. */
const RUNNING_OTHERS = wordSet(
  "node nodejs deno bun python python2 python3 perl ruby php lua tclsh osascript sh bash zsh dash ash ksh fish pwsh awk gawk " +
    "mawk xargs parallel sudo doas su nohup setsid script watch ssh-agent openssl make npm npx pnpm yarn cargo go mvn gradle " +
    "docker podman ping drill mail mailx sendmail mutt tftp base64 xxd vim vi ed ex emacs nano",
);

/** Whether a word, as a program, reaches out or runs what it is given; with `fetches`, whether it fetches. */
export function isReachingProgram(word: string, what: "reaches" | "fetches" = "reaches"): boolean {
  const name = bareName(word);
  if (what === "fetches") return FETCHING.has(name);
  return BRINGING.has(name) || RUNNING_OTHERS.has(name) || /^python\d?(?:\.\d+)?$/.test(name);
}

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

/** Also within code that is given on the command line. What runs on this machine is not outside of it. */
const ADDRESS = /\b(?:https?|ftps?|sftp|ssh|git|wss?):\/\/[^\s"'`<>()]*/gi;

/** Whether a text names an address of another machine. */
export function namesAddress(text: string): boolean {
  return (text.match(ADDRESS) ?? []).some((address) => !isLoopbackAddress(address));
}

function brings(argv: readonly string[]): boolean {
  if (argv.some(namesAddress)) return true;
  return formsOf(argv).some(([name = "", ...rest]) => {
    if (BRINGING.has(name)) return true;
    if (/^python\d?(?:\.\d+)?$/.test(name) && rest[0] === "-m") return brings(rest.slice(1));
    if (name === "npx") return !LOCAL_TOOLS.has(rest.find((word) => !word.startsWith("-")) ?? "");
    const subcommands = Object.hasOwn(BRINGING_SUBCOMMANDS, name) ? BRINGING_SUBCOMMANDS[name] : undefined;
    if (name === "yarn" && rest.length === 0) return true;
    return subcommands?.has(rest[0] ?? "") === true;
  });
}
