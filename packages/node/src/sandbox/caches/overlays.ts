import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import type { SandboxUser } from "../host/sandbox-user.ts";

/** A folder as it is seen with a layer over it: what is written to it goes to the layer. */
export interface Overlay {
  readonly below: string;
  readonly upper: string;
  /** A folder that the kernel needs next to the layer. */
  readonly work: string;
  /** Where it is seen. If the kernel refuses it, this is an empty folder of the command's own. */
  readonly seen: string;
}

/** The programs that mount overlays in a namespace of their own, where no other process sees them. */
export interface OverlayPrograms {
  readonly unshare: string;
  readonly mount: string;
  readonly shell: string;
}

/** The options of a mount divide its folders by these signs. */
export function canBeOverlaid(path: string): boolean {
  return !/[,:\\"]/.test(path);
}

const MOUNT = `mount=$1; count=$2; shift 2
while [ "$count" -gt 0 ]; do
  "$mount" -t overlay -o "userxattr,lowerdir=$1,upperdir=$2,workdir=$3" overlay "$4" 2> /dev/null
  shift 4; count=$((count - 1))
done
exec "$@"
`;

/** What stands before a command that builds a sandbox so that it finds the overlays mounted. */
export function overlayArgs(overlays: readonly Overlay[], programs: OverlayPrograms): readonly string[] {
  const { unshare, shell, mount } = programs;
  const folders = overlays.flatMap(({ below, upper, work, seen }) => [below, upper, work, seen]);
  return [
    ...[unshare, "--user", "--map-root-user", "--mount", "--", shell, "-c", MOUNT, "sh"],
    ...[mount, `${overlays.length}`, ...folders],
  ];
}

const run = promisify(execFile);

/** Tries whether commands of a user can see the folder of the shell through such an overlay. */
export async function overlayWorks(
  folders: Omit<Overlay, "below">,
  programs: OverlayPrograms,
  user: SandboxUser | undefined,
): Promise<boolean> {
  const { shell } = programs;
  const overlay = { ...folders, below: dirname(shell) };
  const look = [shell, "-c", '[ -e "$1" ]', "sh", `${folders.seen}/${basename(shell)}`];
  const [program = "", ...args] = [...overlayArgs([overlay], programs), ...look];
  return run(program, args, { env: {}, cwd: "/", ...user }).then(
    () => true,
    () => false,
  );
}
