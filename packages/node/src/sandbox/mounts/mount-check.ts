import { readFileSync } from "node:fs";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import { TEMPORARY_NAMES } from "../../environment/temporary-folders.ts";
import { HIDING_DEVICE, type Mount } from "./mount-plan.ts";
import { canBeSwapped } from "./open-mounts.ts";

/*
 * A sandbox is built by paths, and another command may swap folders for links meanwhile: then something else would be
 * mounted than was examined. So a shell that starts first in the sandbox compares what was mounted, which cannot be
 * changed any more, with what was meant; the command starts only if it is the same.
 */

/**
 * Each line has two folders: the source and the mount point. Bash looks them up in a table, because searching a long
 * text for each of many, or reading line by line, is slow there; a plain shell does both.
 */
const CHECK = `if [ -n "$BASH_VERSION" ]; then eval 'declare -A seen
mapfile -t table < /proc/self/mountinfo
for line in "\${table[@]}"; do line=\${line#* * * }; rest=\${line#* * }; seen["\${line%" $rest"}"]=1; done
is_seen() { [ "\${seen["$1"]}" = 1 ]; }'
else table=; while IFS= read -r line; do table="$table$line "; done < /proc/self/mountinfo
is_seen() { case "$table" in *" $1 "*) return 0 ;; esac; return 1; }; fi
count=$1; shift
while [ "$count" -gt 0 ]; do
  is_seen "$1" || {
    echo 'The folder was changed while the sandbox was built; the command was not run.' >&2; exit 126; }
  shift; count=$((count - 1))
done
unset -f is_seen; unset seen rest table line count
`;

/** What a shell does before it starts the command, with arguments that it consumes. */
export interface ShellStep {
  readonly script: string;
  readonly args: readonly string[];
}

/** Compares what was mounted with what was meant; `undefined` if none of it is in a folder that a command may change. */
export function mountCheck(mounts: readonly Mount[], temporary?: string): ShellStep | undefined {
  const writable = mounts.filter(({ as }) => as === "writable" || as === "pinned").map(({ path }) => path);
  // Commands before this one could put links where something is mounted.
  const open = temporary === undefined ? writable : [...writable, ...TEMPORARY_NAMES];
  const doubtful = mounts.filter(
    ({ path }) => open.some((folder) => isBeneath(path, folder)) || canBeSwapped(path),
  );
  if (doubtful.length === 0) return undefined;
  const machine = mountsHere();
  const meant = doubtful.map((mount) => `${seenAt(mount, machine)} ${escaped(mount.path)}`);
  return { script: CHECK, args: [`${meant.length}`, ...meant] };
}

/** More than that many are looked up faster by bash, which takes longer to start. */
const FEW = 16;

export function isQuick(check: ShellStep | undefined): boolean {
  return (check?.args.length ?? 0) <= FEW;
}

/** The folder of its file system that must be seen at a mount; one in memory, and a layer, is seen from its top. */
function seenAt({ path, as, source = path, isLayer }: Mount, machine: readonly Mounted[]): string {
  if (as === "hidden folder" || isLayer === true) return "/";
  return rootOf(as === "hidden file" ? HIDING_DEVICE : source, machine);
}

interface Mounted {
  readonly point: string;
  /** The folder of the file system that is seen there. */
  readonly root: string;
  readonly type: string | undefined;
}

/** As the kernel writes it; later mounts are on top of earlier ones. */
export function mountsHere(): readonly Mounted[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , , root, point, ...rest] = line.split(" ");
      if (root === undefined || point === undefined) return [];
      return [{ point, root, type: rest[rest.indexOf("-") + 1] }];
    });
}

/** The mount that a path is on. */
export function mountOf(path: string, machine: readonly Mounted[]): Mounted | undefined {
  const name = escaped(path);
  return machine.reduce<Mounted | undefined>(
    (deepest, one) =>
      isWithin(name, one.point) && one.point.length >= (deepest?.point.length ?? 0) ? one : deepest,
    undefined,
  );
}

function rootOf(path: string, machine: readonly Mounted[]): string {
  const name = escaped(path);
  const around = mountOf(path, machine);
  if (around === undefined) return name;
  const rest = around.point === "/" ? name : name.slice(around.point.length);
  return `${around.root === "/" ? "" : around.root}${rest}` || "/";
}

/** The kernel writes names so. */
export function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** The arguments before a command for a shell that takes these steps and then becomes the command; none for no steps. */
export function startingShell(shell: string, steps: readonly (ShellStep | undefined)[]): readonly string[] {
  const taken = steps.filter((step) => step !== undefined && step.script !== "");
  if (taken.length === 0) return [];
  const script = `${taken.map((step) => step?.script).join("")}exec "$@"`;
  return [shell, "-c", script, "sh", ...taken.flatMap((step) => step?.args ?? [])];
}
