import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { OPENED_FILES, STUB_PATHS } from "./line-parts.ts";

export const HOME = "/home/ada";

/** A line to be run, and how every command in it ends. */
export interface JailedLine {
  readonly line: string;
  readonly status: 0 | 1;
}

/** What bash really did for a line. */
export interface Executed {
  /** The commands that it ran, each with all of its words. */
  readonly commands: readonly (readonly string[])[];
  /** The files that were opened for these commands: `read path`, `write path`. */
  readonly files: readonly string[];
}

const NEEDED = ["/usr/bin/bwrap", "/bin/bash", "/usr/bin/printf", "/bin/cat"];
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].filter((path) => existsSync(path));
const LONGEST_RUN_MS = 120_000;

/** What is missing for the jail; `undefined` where it can be built. */
export function missingForJail(): string | undefined {
  const file = NEEDED.find((path) => !existsSync(path));
  if (file !== undefined) return file;
  const profile = "--unshare-user --unshare-all --disable-userns --ro-bind / / /bin/bash -c true".split(" ");
  return spawnSync("/usr/bin/bwrap", profile).status === 0 ? undefined : "namespaces for bwrap";
}

/**
 * Runs lines in bash, one after the other, where nothing is left to harm: own mounts, processes and network,
 * no file but the shell and the stub, no builtin, and a search path that leads nowhere. Whatever bash would
 * run comes to the stub, which writes down every word.
 *
 * @throws Error when the jail does not answer for every line.
 */
export async function runInJail(lines: readonly JailedLine[]): Promise<readonly Executed[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-shell-"));
  try {
    const program = join(folder, "program");
    await writeFile(program, `#!/jail/bash\n${PROGRAM}\n`, { mode: 0o755 });
    return await answersOf(lines, profileWith(program));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answersOf(
  lines: readonly JailedLine[],
  profile: readonly string[],
): Promise<readonly Executed[]> {
  const jail = spawn("/usr/bin/bwrap", [...profile, "/jail/bash", "-c", DRIVER], {
    env: {},
    stdio: ["pipe", "pipe", "pipe"],
    timeout: LONGEST_RUN_MS,
    killSignal: "SIGKILL",
  });
  const written: Buffer[] = [];
  const said: Buffer[] = [];
  jail.stdout.on("data", (chunk: Buffer) => written.push(chunk));
  jail.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    jail.on("error", reject);
    jail.on("close", () => resolve());
  });
  // One that died has closed its end; how much it has answered tells.
  jail.stdin.on("error", () => undefined);
  jail.stdin.end(lines.map(({ line, status }) => `${status}\0${line}\0`).join(""));
  await ended;
  const executed = readRecord(Buffer.concat(written).toString("utf8"));
  if (executed.length === lines.length) return executed;
  const words = Buffer.concat(said).toString("utf8").slice(0, 500);
  throw new Error(`The jail answered for ${executed.length} of ${lines.length} lines. ${words}`);
}

/** What the stub wrote: `run`, how many words, the words, what was open; `end` after each line. */
function readRecord(text: string): readonly Executed[] {
  const fields = text.split("\0");
  const lines: Executed[] = [];
  let commands: (readonly string[])[] = [];
  let files: string[] = [];
  let at = 0;
  while (at < fields.length - 1) {
    const isEnd = fields[at] === "end";
    const count = isEnd ? 0 : Number(fields[at + 1]);
    if (isEnd) {
      lines.push({ commands, files });
      commands = [];
      files = [];
      at += 1;
    } else {
      commands.push(fields.slice(at + 2, at + 2 + count));
      files.push(...filesOf(fields[at + 2 + count] ?? ""));
      at += 3 + count;
    }
  }
  return lines;
}

/** What the last octal digit of a descriptor's flags says that it is open for. */
const ACCESSES: Readonly<Record<string, readonly string[]>> = {
  0: ["read"],
  1: ["write"],
  2: ["read", "write"],
};

/** `2=0,0=1,`: the third file is open for reading, the first for writing. */
function filesOf(open: string): readonly string[] {
  return open
    .split(",")
    .filter((one) => one !== "")
    .flatMap((one) => {
      const [index, flags = ""] = one.split("=");
      const accesses = ACCESSES[flags];
      if (accesses === undefined) throw new Error(`The jail names no access: ${one}`);
      return accesses.map((access) => `${access} ${OPENED_FILES[Number(index)]}`);
    });
}

const STUB = "/jail/stub";
const RECORD = `${STUB} '%s\\0' run`;

/** Ends as the line is told to; `return` and `exit` are gone by then. */
const END = "[[ $STATUS = 0 ]]";

/** Whether a descriptor reads or writes is not told by its number: `2< file` reads. */
const ACCESS = "[[ $(</proc/$p/fdinfo/$i) =~ flags:[[:space:]]+[0-7]*([0-7]) ]]";

/** Which of the files that are there to be opened are what this command reads and writes. */
const OPEN = `o=; p=$BASHPID; for i in 0 1 2; do ${OPENED_FILES.map(
  (path, index) => `[[ /dev/fd/$i -ef '${path}' ]] && { ${ACCESS}; o+="${index}=\${BASH_REMATCH[1]},"; }`,
).join("; ")}; done`;

/** Prints what it is fed, so that what is printed into an arg is there. */
const PRINT = `[[ $# = 1 && $1 = cat ]] && /jail/cat`;

/** Read by every bash before its line. What is switched off comes to the function like anything unknown. */
const PREPARATION = `command_not_found_handle() { ${OPEN}; ${RECORD} "$#" "$@" "$o" >&9; ${PRINT}; ${END}; }`;

/** A name with a slash is not looked up, so it needs a program. */
const PROGRAM = `${OPEN}; ${RECORD} "$((1+$#))" "$0" "$@" "$o" >&9; ${END}`;

const DRIVER = `
set -f
exec 3<&0 9>&1
ulimit -t 20
for path in ${OPENED_FILES.map((path) => `'${path}'`).join(" ")}; do printf 'x\\n' > "$path"; done
for name in $(compgen -b); do [[ $name = enable ]] || names+=" $name"; done
printf '%s\\n' "$PREPARATION" "enable -n$names" 'enable -n enable' > /run/prepare
export STATUS BASH_ENV=/run/prepare
# What runs in the background has the other end of the pipe, too.
while IFS= read -r -d '' STATUS <&3 && IFS= read -r -d '' line <&3; do
  : "$(/jail/bash -c -- "$line" 3<&- 8>&1 </dev/null >/dev/null 2>&1)"
  ${STUB} 'end\\0' >&9
done
`;

function profileWith(program: string): readonly string[] {
  const programs = STUB_PATHS.map((path) => posix.resolve("/ws", path));
  return [
    ..."--unshare-user --unshare-all --disable-userns --uid 1000 --gid 1000 --cap-drop ALL".split(" "),
    ..."--die-with-parent --new-session --clearenv --setenv PATH /nowhere --setenv LC_ALL C.UTF-8".split(" "),
    ...["--setenv", "HOME", HOME, "--setenv", "PREPARATION", PREPARATION],
    ...LIBRARIES.flatMap((path) => ["--ro-bind", path, path]),
    ..."--ro-bind /bin/bash /jail/bash --ro-bind /usr/bin/printf /jail/stub --ro-bind /bin/cat /jail/cat".split(
      " ",
    ),
    ...programs.flatMap((path) => ["--ro-bind", program, path]),
    ..."--proc /proc --symlink /proc/self/fd /dev/fd --dev-bind /dev/null /dev/null".split(" "),
    ..."--size 1048576 --tmpfs /run --size 1048576 --tmpfs /ws/_files --remount-ro / --chdir /ws".split(" "),
  ];
}
