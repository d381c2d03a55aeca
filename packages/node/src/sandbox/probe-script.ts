/** What a probe tries to do from within the walls. */
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
  | "reach the network";

export interface ProbeTargets {
  readonly workspace: string;
  readonly outside: string;
  readonly port: number;
  /** A process of ours, to be looked for and killed. */
  readonly victim: number;
}

const MARK = "@@";

/**
 * Tries to break out, one thing after another. Nothing in it harms where it succeeds: the setting of the kernel
 * that it writes is the one that is there, and the process that it kills is there to be killed.
 */
export function probeScript({ workspace, outside, port, victim }: ProbeTargets): string {
  const inside = (name: string) => quoted(`${workspace}/${name}`);
  const section = (name: ProbeName, ...lines: readonly string[]) => [
    `printf '\\n${MARK}%s\\n' '${name}'`,
    ...lines,
  ];
  return [
    "exec 2>/dev/null",
    ...section("write outside", `echo made > ${quoted(`${outside}/made`)}`),
    ...section("read outside", `cat ${quoted(`${outside}/canary`)}`),
    ...section("read a secret", `cat ${inside(".env")}`),
    ...section(
      "change settings",
      `echo changed >> ${inside(".git/config")}`,
      `echo changed > ${inside(".git/hooks/update")}`,
    ),
    ...section("read our environment", "cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'", "env"),
    ...section("be root", `echo made > ${inside("made")}`, "id -u"),
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
    ...section("reach the network", ...reaching(port)),
    `printf '\\n${MARK}end\\n'`,
    "exit 0",
  ].join("\n");
}

/** With whatever there is that can talk: `bash` knows by itself, which the plain shell does not. */
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
