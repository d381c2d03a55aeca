import { hash } from "node:crypto";
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin, unlessThrown } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { readProc } from "../../../processes/proc.ts";
import { startOf } from "../../../processes/process-tree.ts";
import { REPORT_FD } from "../../../processes/spawn-command.ts";
import { canBeOverlaid } from "../../caches/overlays.ts";
import { closedFolder, type SandboxUser } from "../../host/sandbox-user.ts";
import { escaped, mountOf, mountsHere } from "../../mounts/mount-check.ts";

/** Where the place, the layers and the past of one project are kept. */
export interface ProjectState {
  readonly project: string;
  readonly folder: string;
}

export function projectState(folder: string, project: string): ProjectState {
  return { project, folder: join(folder, hash("sha256", project).slice(0, 24)) };
}

/** @throws ToolFailure `unavailable` where another user could have written what commits are finished by. */
export function checkOwner({ folder }: Pick<ProjectState, "folder">): void {
  const stats = lstatSync(folder);
  if (stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0) return;
  throw new ToolFailure("unavailable", `${folder} is not a folder of this user alone.`, {
    hint: "Remove it, or set XDG_STATE_HOME to a folder of yours.",
  });
}

/** The layer of one command, and what is kept of it. */
export interface Layer {
  readonly number: number;
  readonly folder: string;
  readonly upper: string;
  readonly work: string;
  /** The project with the layer over it, in the place. */
  readonly merged: string;
  /** Empty files that hide those of the project, beneath the layer. */
  readonly masks: string;
  /** What the command sees as its home. */
  readonly home: string;
  /** When it was made, by the clock of the file system, less what that clock may be behind. */
  readonly since: bigint;
}

const CLOCK_NS = 12_000_000n;
/** What was changed before this pause is older than a layer that is opened after it. */
export const CLOCK_PAUSE_MS = 16;
export const COMMANDS = "commands";

/**
 * A command that changes nothing gets a home alone.
 * @throws ToolFailure `unavailable` where there can be no layer over the project.
 */
export function openLayer(state: ProjectState, user: SandboxUser | undefined, isLayered: boolean): Layer {
  const why = noLayer(state, user);
  if (why !== undefined) throw new ToolFailure("unavailable", `The command cannot be contained: ${why}.`);
  // Root's commands run as another user and must get through.
  const { number, folder } = nextCommand(state, user === undefined ? 0o700 : 0o711);
  const home = givenFolder(join(folder, "home"), user);
  const built = builtAt({ folder });
  writeFileSync(built, "", { mode: 0o600 });
  giveTo(built, user);
  const since = lstatSync(home, { bigint: true }).ctimeNs - CLOCK_NS;
  const [upper, work, merged, masks] = ["upper", "work", "merged", "masks"].map((name) =>
    isLayered ? givenFolder(join(folder, name), user) : join(folder, name),
  );
  return { number, folder, upper, work, merged, masks, home, since } as Layer;
}

/** The folder of a command that has the next number. */
export function nextCommand(state: Pick<ProjectState, "folder">, mode: number) {
  const commands = join(state.folder, COMMANDS);
  for (let number = (numbersIn(commands).at(-1) ?? 0) + 1; ; number += 1) {
    const folder = join(commands, `${number}`);
    // Another process has just made it.
    if (mkdirSync(folder, { recursive: true, mode }) === undefined) continue;
    writeFileSync(join(folder, OPENED), JSON.stringify(openedBy(process.pid)), { mode: 0o600 });
    return { number, folder };
  }
}

/** Which process made the folder of a command; nothing of it once the command is written down. */
export const OPENED = "opened.json";

/** Numbers of processes mean others in another namespace, and after a restart of the machine. */
function openedBy(pid: number) {
  const space = readlinkSync("/proc/self/ns/pid");
  return { pid, startedAt: startOf(pid), space, boot: readProc("sys/kernel/random/boot_id")?.trim() };
}

/** Whether the process that made the folder of a command is gone. */
export function isLeftBehind(folder: string): boolean {
  const isGone = unlessThrown(() => {
    const opened = JSON.parse(readFileSync(join(folder, OPENED), "utf8")) as ReturnType<typeof openedBy>;
    const now = openedBy(opened.pid);
    return opened.boot !== now.boot || (opened.space === now.space && opened.startedAt !== now.startedAt);
  });
  return isGone ?? false;
}

/** A folder of the user whom commands run as. */
export function givenFolder(path: string, user: SandboxUser | undefined): string {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) giveTo(path, user);
  return path;
}

export function giveTo(path: string, user: SandboxUser | undefined): void {
  if (user !== undefined) lchownSync(path, user.uid, user.gid);
}

export function numbersIn(commands: string): readonly number[] {
  const names = existsSync(commands) ? readdirSync(commands) : [];
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return numbers.toSorted((one, other) => one - other);
}

/** Why no command of a project can have a layer, as far as its paths and mounts say. */
export function whyNoLayer(folder: string, project: string): string | undefined {
  return noLayer(projectState(folder, project), undefined);
}

function noLayer({ project, folder }: ProjectState, user: SandboxUser | undefined): string | undefined {
  if (!canBeOverlaid(project) || !canBeOverlaid(folder))
    return "a path has a sign that divides the options of mounts";
  if (isWithin(folder, project)) return `its state is in the project itself, in ${folder}`;
  mkdirSync(folder, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  const closed = user && closedFolder(join(folder, COMMANDS), user);
  if (closed !== undefined) return `${closed} is closed to the user it would run as`;
  const mounts = mountsHere();
  const inside = mounts.find(({ point }) => isBeneath(point, escaped(project)));
  if (inside !== undefined) return `${inside.point} is mounted in the project`;
  const mount = mountOf(project, mounts);
  if (mount?.point !== mountOf(folder, mounts)?.point)
    return `the project is on another mount than ${folder}. Set XDG_STATE_HOME to a folder on the mount of the project`;
  return mount?.type === "overlay"
    ? "the project is on an overlay, and can have no layer over it"
    : undefined;
}

const OF_PROCESSES = ["live", "home", "masks", "work", "merged"];

/**
 * Leaves to the processes of a run what they see of their layer, in a folder that goes with the last of them. The
 * project itself may be mounted in their home: they would lose it.
 */
export function leaveToRun({ folder }: Pick<Layer, "folder">, run: string): void {
  for (const name of OF_PROCESSES)
    try {
      renameSync(join(folder, name), join(run, name));
    } catch (error) {
      // There is no such part, or no process any more.
      if (errorCode(error) !== "ENOENT") throw error;
    }
}

/** A layer that nothing of is kept. */
export function forgetLayer({ folder }: Pick<Layer, "folder">): void {
  removeTree(folder);
}

/** Without options nothing is mounted. `bwrap` is given the file to report to. */
const MOUNT = `mount=$1 options=$2 merged=$3 built=$4; shift 4; exec ${REPORT_FD}> "$built"
[ -z "$options" ] || said=$("$mount" -t overlay -o "$options" overlay "$merged" 2>&1) || { echo "$said" >&${REPORT_FD}; exit 125; }
exec "$@"
`;

/** What a layer is mounted and taken away with. */
export interface LayeredCommand {
  readonly layer: Layer;
  readonly project: string;
  readonly isLayered: boolean;
  readonly user: SandboxUser | undefined;
  /** What it sees as empty files, relative to the project. */
  readonly masked: readonly string[];
  /** `join`: what stands before a command so that it enters the place. */
  readonly place: { readonly join: readonly string[] };
  readonly programs: { readonly mount: string; readonly shell: string };
}

/** Says how the command ended, once there was a sandbox for it; else what failed. The command cannot write there. */
export function builtAt({ folder }: Pick<Layer, "folder">): string {
  return join(folder, "built");
}

/** What stands before a command that builds a sandbox in the place so that it finds the layer mounted, if it has one. */
export function layerArgs(command: LayeredCommand): readonly string[] {
  const { layer, project, isLayered, masked, place, programs } = command;
  const { upper, work, merged, masks } = layer;
  const below = masked.length > 0 ? `${masks}:${project}` : project;
  const options = isLayered ? `userxattr,volatile,lowerdir=${below},upperdir=${upper},workdir=${work}` : "";
  const mounting = ["-c", MOUNT, "sh", programs.mount, options, merged, builtAt(layer)];
  return [...place.join, programs.shell, ...mounting];
}
