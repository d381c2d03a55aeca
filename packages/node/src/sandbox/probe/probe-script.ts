import { quotedWord } from "@toolkeep/core/internal";
import { callNumber, isKnownProcessor, type SystemCall } from "../host/system-calls.ts";

/** What a probe tries to do from inside the sandbox. */
export type ProbeName =
  | "write outside"
  | "read outside"
  | "read a secret"
  | "change settings"
  | "read our environment"
  | "be root"
  | "change the kernel"
  | "make namespaces"
  | "touch processes"
  | "leave a process"
  | "trace process 1"
  | "use the keyring"
  | "open other sockets"
  | "reach the network";

interface ProbeTargets {
  readonly workspace: string;
  readonly outside: string;
  readonly port: number;
  /** A process outside the sandbox, to be looked for and killed. */
  readonly victim: number;
  /** How long a process sleeps that is left behind, so that it can be found. */
  readonly seconds: string;
}

const MARK = "@@";

/**
 * Tries to break out, one thing after another. Nothing in it harms where it succeeds: the setting of the kernel
 * that it writes is the one that is there, and the process that it kills is there to be killed.
 */
export function probeScript({ workspace, outside, port, victim, seconds }: ProbeTargets): string {
  const inside = (name: string) => quotedWord(`${workspace}/${name}`);
  const section = (name: ProbeName, ...lines: readonly string[]) => [
    `printf '\\n${MARK}%s\\n' '${name}'`,
    ...lines,
  ];
  return [
    "exec 2>/dev/null",
    ...section("write outside", `echo made > ${quotedWord(`${outside}/made`)}`),
    ...section("read outside", `cat ${quotedWord(`${outside}/canary`)}`),
    ...section("read a secret", `cat ${inside(".env")}`),
    ...section(
      "change settings",
      `echo changed >> ${inside(".git/config")}`,
      `echo changed > ${inside(".git/hooks/update")}`,
    ),
    ...section("read our environment", "cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'", "env"),
    ...section("be root", `echo made > ${inside("made")}`, ...beingRoot(inside("made"))),
    ...section(
      "change the kernel",
      'kept=$(cat /proc/sys/kernel/core_pattern) && printf "%s" "$kept" > /proc/sys/kernel/core_pattern && echo WRITTEN',
    ),
    ...section(
      "make namespaces",
      "command -v unshare > /dev/null || echo MISSING",
      "unshare -U true && echo MADE",
    ),
    ...section("touch processes", `[ -e /proc/${victim} ] && echo SEEN`, `kill -9 ${victim}`),
    ...section("leave a process", ...leaving(seconds)),
    ...section("trace process 1", ...calling()),
    ...section("reach the network", ...reaching(port)),
    `printf '\\n${MARK}end\\n'`,
    "exit 0",
  ].join("\n");
}

/** What root could still do: lend its rights with a program, or change the kernel. Only opens, and writes nothing. */
function beingRoot(made: string): readonly string[] {
  return [
    `chmod 6755 ${made}`,
    "grep -E '^Cap(Eff|Prm|Bnd):' /proc/self/status",
    'for file in /proc/[a-z]*; do [ -f "$file" ] && (: >> "$file") && echo WRITABLE; done',
  ];
}

/** In a session of its own if there is a program for that, ignoring signals, and with none of our streams. */
function leaving(seconds: string): readonly string[] {
  return [
    "apart=$(command -v setsid)",
    `(trap '' HUP TERM INT; exec $apart sleep ${seconds} < /dev/null > /dev/null 2>&1) &`,
  ];
}

/** The session's keyring; sockets of `AF_VSOCK`, which no network namespace contains. Process 1 is not stopped by it. */
const CALLS: readonly (readonly [ProbeName, SystemCall, string])[] = [
  ["trace process 1", "ptrace", "0x4206, 1, 0, 0"],
  ["use the keyring", "keyctl", "0, -3, 0"],
  ["open other sockets", "socket", "40, 1, 0"],
];

/** System calls that no program of a plain system makes for us, made by Perl. */
function calling(processor: string = process.arch): readonly string[] {
  if (!isKnownProcessor(processor)) return ["echo MISSING"];
  const tries = CALLS.map(([name, call, args]) => {
    const number = callNumber(call, processor);
    return `print "\n${MARK}${name}\n", syscall(${number}, ${args}) < 0 ? "REFUSED" : "DONE", "\n";`;
  });
  return [
    "grep '^Seccomp:' /proc/self/status",
    `if command -v perl > /dev/null; then perl -e '${tries.join(" ")}'; else echo MISSING; fi`,
  ];
}

/** With any program that can connect: `bash` can do it itself, the plain shell cannot. */
function reaching(port: number): readonly string[] {
  return [
    "if command -v bash > /dev/null; then",
    `  bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
    "elif command -v nc > /dev/null; then",
    `  nc -w 1 127.0.0.1 ${port} < /dev/null`,
    "else echo MISSING; fi",
  ];
}

/** What the script wrote for each of its tries; `undefined` if it did not get to its end. */
export function readSections(output: string): ReadonlyMap<string, string> | undefined {
  const parts = output.split(new RegExp(`^${MARK}`, "m")).slice(1);
  const sections = parts.map(
    (part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)] as const,
  );
  const found = new Map(sections);
  return found.has("end") ? found : undefined;
}
