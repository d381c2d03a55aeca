import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { STUB_PATHS } from "./generate-line.ts";

export const HOME = "/home/ada";

/** A line to be run, and how every command in it ends. */
export interface JailedLine {
  readonly line: string;
  readonly status: 0 | 1;
}

/** The commands that bash really ran, each with all of its words. */
export type Executed = readonly (readonly string[])[];

const NEEDED = ["/usr/bin/bwrap", "/bin/bash", "/usr/bin/printf"];
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

/** What the stub wrote: `run`, how many words, the words; `end` after each line. */
function readRecord(text: string): readonly Executed[] {
  const fields = text.split("\0");
  const lines: Executed[] = [];
  let commands: (readonly string[])[] = [];
  let at = 0;
  while (at < fields.length - 1) {
    const isEnd = fields[at] === "end";
    const count = isEnd ? 0 : Number(fields[at + 1]);
    if (isEnd) {
      lines.push(commands);
      commands = [];
      at += 1;
    } else {
      commands.push(fields.slice(at + 2, at + 2 + count));
      at += 2 + count;
    }
  }
  return lines;
}

const STUB = "/jail/stub";
const RECORD = `${STUB} '%s\\0' run`;

/** Ends as the line is told to; `return` and `exit` are gone by then. */
const END = "[[ $STATUS = 0 ]]";

/** Read by every bash before its line. What is switched off comes to the function like anything unknown. */
const PREPARATION = `command_not_found_handle() { ${RECORD} "$#" "$@" >&9; ${END}; }`;

/** A name with a slash is not looked up, so it needs a program. */
const PROGRAM = `${RECORD} "$((1+$#))" "$0" "$@" >&9; ${END}`;

const DRIVER = `
set -f
exec 3<&0 9>&1
ulimit -t 20
for name in $(compgen -b); do [[ $name = enable ]] || names+=" $name"; done
printf '%s\\n' "$PREPARATION" "enable -n$names" 'enable -n enable' > /run/prepare
export STATUS BASH_ENV=/run/prepare
while IFS= read -r -d '' STATUS <&3 && IFS= read -r -d '' line <&3; do
  /jail/bash -c -- "$line" 3<&- </dev/null >/dev/null 2>&1
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
    ..."--ro-bind /bin/bash /jail/bash --ro-bind /usr/bin/printf /jail/stub".split(" "),
    ...programs.flatMap((path) => ["--ro-bind", program, path]),
    ..."--dev-bind /dev/null /dev/null --size 1048576 --tmpfs /run --remount-ro / --chdir /ws".split(" "),
  ];
}
