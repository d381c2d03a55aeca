import { readFileSync } from "node:fs";
import { isBeneath, isWithin } from "./beneath.ts";
import type { Mount } from "./mount-plan.ts";
import { canBeSwapped } from "./openings.ts";

/*
 * Walls are built by paths, and another command may swap folders for links while that goes on: then something
 * else would be mounted than was looked at. So a shell that starts first within the walls holds what was
 * mounted, which nobody can change any more, against what was meant; the command starts only if it is the same.
 */

/** Two folders stand beside each other in a line: what is seen, and where. Plain shells read letter by letter. */
const CHECK = `if [ -n "$BASH_VERSION" ]; then IFS= read -r -d '' table < /proc/self/mountinfo
else table=; while IFS= read -r line; do table="$table$line "; done < /proc/self/mountinfo; fi
count=$1; shift
while [ "$count" -gt 0 ]; do
  case "$table" in *" $1 "*) ;; *)
    echo 'The folder was changed while walls were built around the command; nothing was run.' >&2; exit 126 ;;
  esac
  shift; count=$((count - 1))
done
unset table line count
`;

/** What a shell does before it starts the command, with words that it takes for itself. */
export interface ShellStep {
  readonly script: string;
  readonly words: readonly string[];
}

/**
 * Holds what was mounted against what was meant; `undefined` where nothing of it lies in a folder that a command
 * may change.
 */
export function mountCheck(mounts: readonly Mount[]): ShellStep | undefined {
  const writable = mounts.filter(({ as }) => as === "writable" || as === "pinned");
  const doubtful = mounts.filter(
    ({ path, as }) =>
      as !== "hidden file" &&
      as !== "hidden folder" &&
      (writable.some((folder) => isBeneath(path, folder.path)) || canBeSwapped(path)),
  );
  if (doubtful.length === 0) return undefined;
  const machine = mountedHere();
  const meant = doubtful.map(({ path }) => `${rootOf(path, machine)} ${escaped(path)}`);
  return { script: CHECK, words: [`${meant.length}`, ...meant] };
}

interface Mounted {
  readonly point: string;
  /** The folder of the file system that is seen there. */
  readonly root: string;
}

/** As the kernel writes it, in which no name has blanks; the later ones lie on top of the earlier. */
function mountedHere(): readonly Mounted[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , , root, point] = line.split(" ");
      return root === undefined || point === undefined ? [] : [{ point, root }];
    });
}

function rootOf(path: string, machine: readonly Mounted[]): string {
  const name = escaped(path);
  const around = machine.reduce<Mounted | undefined>(
    (deepest, one) =>
      isWithin(name, one.point) && one.point.length >= (deepest?.point.length ?? 0) ? one : deepest,
    undefined,
  );
  if (around === undefined) return name;
  const rest = around.point === "/" ? name : name.slice(around.point.length);
  return `${around.root === "/" ? "" : around.root}${rest}` || "/";
}

function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
