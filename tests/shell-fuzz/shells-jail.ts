import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOME } from "./bash-jail.ts";
import { OPENED_FILES, STUB_PATHS } from "./line-parts.ts";

/** The shells that a client may start, and how each takes a line. No file of a user is read at the start. */
export const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: ["/bin/bash", "--noprofile", "--norc", "-c"],
  zsh: ["/usr/bin/zsh", "-f", "-c"],
  dash: ["/bin/dash", "-c"],
  ksh: ["/usr/bin/ksh", "-c"],
  fish: ["/usr/bin/fish", "--no-config", "-c"],
  mksh: ["/usr/bin/mksh", "-c"],
};

/** The programs that a shell really started for a line, each with all of its words, and whether there were files for them. */
export interface Started {
  readonly commands: readonly (readonly string[])[];
  /** The files that were open for these: `read path`, `write path`. */
  readonly files: readonly string[];
}

const BASE = ["/usr/bin/bwrap", "/bin/bash", "/bin/dash", "/usr/bin/mkfifo"];
const FOLDERS = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].filter((path) => existsSync(path));
const LONGEST_RUN_MS = 600_000;

/** What is missing to run lines in a shell; `undefined` where nothing is. */
export function missingForShell(shell: string): string | undefined {
  const file = [...BASE, SHELLS[shell]?.[0] ?? shell].find((path) => !existsSync(path));
  if (file !== undefined) return file;
  const profile = "--unshare-user --unshare-all --disable-userns --ro-bind / / /bin/true".split(" ");
  return spawnSync("/usr/bin/bwrap", profile).status === 0 ? undefined : "namespaces for bwrap";
}

/**
 * Runs lines in a shell with all of its own builtins, one process for each line, in a jail where nothing is left to
 * harm. Every program in its search path is a stub that writes down its words: what a builtin or an expansion starts is
 * seen as well.
 *
 * @throws Error when the jail does not answer for every line.
 */
export async function runInShell(
  shell: string,
  lines: readonly string[],
  programs: readonly string[],
): Promise<readonly Started[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-shells-"));
  try {
    const stub = join(folder, "stub");
    await writeFile(stub, STUB, { mode: 0o755 });
    return await answersOf(shell, lines, [...profileWith(stub), ...driver(shell, programs)]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answersOf(
  shell: string,
  lines: readonly string[],
  profile: readonly string[],
): Promise<readonly Started[]> {
  const jail = spawn("/usr/bin/bwrap", profile, {
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
  jail.stdin.on("error", () => undefined);
  jail.stdin.end(lines.map((line) => `${line}\0`).join(""));
  await ended;
  const started = readRecord(Buffer.concat(written).toString("utf8"));
  if (started.length === lines.length) return started;
  const words = Buffer.concat(said).toString("utf8").slice(0, 500);
  const last = JSON.stringify(lines[started.length]);
  throw new Error(
    `The jail with ${shell} answered for ${started.length} of ${lines.length} lines, up to ${last}. ${words}`,
  );
}

/** What the stub wrote: `run`, how many words, the words, what was open; `end` after each line. */
function readRecord(text: string): readonly Started[] {
  const fields = text.split("\0");
  const lines: Started[] = [];
  let commands: (readonly string[])[] = [];
  let files: string[] = [];
  let at = 0;
  while (at < fields.length - 1) {
    if (fields[at] === "end") {
      lines.push({ commands, files });
      commands = [];
      files = [];
      at += 1;
    } else {
      const count = Number(fields[at + 1]);
      commands.push(fields.slice(at + 2, at + 2 + count));
      files.push(...(fields[at + 2 + count] ?? "").split(";").filter((file) => file !== ""));
      at += 3 + count;
    }
  }
  return lines;
}

const FILES = OPENED_FILES.map((path) => `'${path}'`).join(" ");

/** Writes down its words and, in a line with redirects, which of the files that are there to be opened it has open. */
const STUB = `#!/jail/dash
o=
[ "$REDIRECTS" = "" ] || for i in 0 1 2; do
  for f in ${FILES}; do
    [ /proc/self/fd/$i -ef "$f" ] || continue
    while read -r k v; do
      [ "$k" = flags: ] || continue
      case $v in *0) o="\${o}read $f;";; *1) o="\${o}write $f;";; *2) o="\${o}read $f;write $f;";; esac
    done < /proc/self/fdinfo/$i
  done
done
n=$0
case $n in /jail/bin/*) n=\${n##*/};; esac
[ "$n" = cat ] && [ $# = 0 ] && while IFS= read -r l; do printf '%s\\n' "$l"; done
printf '%s\\0' run $(($# + 1)) "$n" "$@" "$o" >> /run/record
`;

/**
 * Process 1 of the jail, which no signal from within ends: `kill 0` reaches it too. A line has ended when nothing of it is left; another process
 * ends what is still there after a second or two.
 */
const DRIVER = `
shell=("\${@:2:$1}"); shift $(($1 + 1))
for name; do /jail/ln -s /jail/stub "/jail/bin/$name" || exit; done
for path in ${FILES}; do printf 'x\\n' > "$path"; done
/jail/mkfifo /run/never; exec 7<> /run/never
trap : HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO SYS
watch() {
  trap '' HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM; exec <&7 >/dev/null
  while :; do
    before=$last; read -rt 1; read -r last < /run/line
    [[ $last = "$before" ]] || continue
    for path in /proc/[0-9]*; do pid=\${path##*/}; ((pid > 1 && pid != BASHPID)) && kill -9 "$pid"; done
  done
}
while IFS= read -r -d '' line; do
  echo $((count++)) > /run/line
  [[ -d /proc/\${watcher:-none} ]] || { watch & watcher=$!; } 2>/dev/null
  case $line in *'<'* | *'>'*) export REDIRECTS=1;; *) export REDIRECTS=;; esac
  "\${shell[@]}" "$line" 7>&- </dev/null >/dev/null 2>&1
  while pids=(/proc/[0-9]*); ((\${#pids[@]} > 1)); do
    ((\${#pids[@]} == 2)) && [[ -d /proc/$watcher ]] && break
    read -rt 0.02 <&7
  done
  printf 'end\\0' >> /run/record
done 2>/dev/null
`;

function driver(shell: string, programs: readonly string[]): readonly string[] {
  const [, ...options] = SHELLS[shell] ?? [];
  const command = [`/jail/${shell}`, ...options];
  return [
    ...Object.entries(SHELLS).flatMap(([name, [path = ""]]) =>
      existsSync(path) ? ["--ro-bind", path, `/jail/${name}`] : [],
    ),
    ..."--remount-ro / --chdir /ws --as-pid-1 /jail/bash -c".split(" "),
    `${DRIVER}\n/jail/cat < /run/record`,
    "driver",
    String(command.length),
    ...command,
    ...programs,
  ];
}

function profileWith(stub: string): readonly string[] {
  return [
    ..."--unshare-user --unshare-all --disable-userns --uid 1000 --gid 1000 --cap-drop ALL".split(" "),
    ..."--die-with-parent --new-session --clearenv --setenv PATH /jail/bin --setenv LC_ALL C.UTF-8".split(
      " ",
    ),
    ...["--setenv", "HOME", HOME],
    ...FOLDERS.flatMap((path) => ["--ro-bind", path, path]),
    ..."--ro-bind /bin/cat /jail/cat --ro-bind /bin/ln /jail/ln".split(" "),
    ..."--ro-bind /usr/bin/mkfifo /jail/mkfifo".split(" "),
    ...["--ro-bind", stub, "/jail/stub"],
    ...STUB_PATHS.flatMap((path) => ["--ro-bind", stub, path.startsWith("/") ? path : `/ws/${path}`]),
    ..."--proc /proc --dev-bind /dev/null /dev/null --tmpfs /tmp".split(" "),
    ..."--tmpfs /jail/bin --tmpfs /run --size 1048576 --tmpfs /ws/_files".split(" "),
  ];
}
