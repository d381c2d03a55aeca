import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import { errorText, isWithin } from "@toolkeep/core/internal";
import type { ContainedOutcome, Containment, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { TEMPORARY_NAMES } from "../../environment/temporary-folders.ts";
import { withFileLock } from "../../owned-files/with-file-lock.ts";
import type { SandboxUser } from "../host/sandbox-user.ts";
import type { Mount } from "../mounts/mount-plan.ts";
import { type HeldWork, recoverPast } from "./commit/past.ts";
import { lockOf } from "./commit/past-commands.ts";
import { changeSet, shownNames } from "./layer/change-set.ts";
import { homeWrites } from "./layer/home-writes.ts";
import { isSeenOnly, maskFiles } from "./layer/masked-files.ts";
import {
  builtAt,
  CLOCK_PAUSE_MS,
  forgetLayer,
  type Layer,
  layerArgs,
  leaveToRun,
  openLayer,
  type ProjectState,
  projectState,
} from "./layer/open-layer.ts";
import { isReleased, setAside } from "./layer/settle-layer.ts";
import { copyWhole, notRenamed, type RenamedFolders, renamedFolders } from "./layer/whole-folders.ts";
import { type OpenRun, openPlace, type Place, type PlaceOptions } from "./place/open-place.ts";
import { RUNS, type RunMount, type RunRequest } from "./place/place-protocol.ts";
import { seenEffects } from "./seen-effects.ts";
import { settled } from "./settle-changes.ts";
import { decoysFor } from "./wants/decoys.ts";
import { installs, isByTheWay, isDangerous, wantLine, worstFirst } from "./wants/want-lines.ts";

/** What a sandbox needs to build one contained command, and what follows it. */
export interface ContainedCommand {
  readonly home: string;
  readonly temporary: string;
  /** What is mounted read-only besides the profile's own. */
  readonly shown: readonly RunMount[];
  /** Whether what it writes is in a layer, and not in the project. */
  readonly isLayered: boolean;
  /**
   * The mounts of a profile, with the layer in the place of the project; and `before`, which stands before the command
   * that builds the sandbox.
   */
  over(mounts: readonly Mount[]): { readonly mounts: readonly Mount[]; readonly before: readonly string[] };
  /** Once the command is over; how many changes were kept. `deciding`: where settings that decide what is run lead. */
  done(end: CommandEnding, deciding: readonly string[]): Promise<number>;
  /** Where the sandbox cannot be built after all. */
  abandon(): Promise<void>;
}

type CommandEnding = Parameters<NonNullable<SandboxedCommand["done"]>>[0];

export interface ContainedPrograms {
  readonly mount: string;
  readonly shell: string;
}

/**
 * Opens the place and, for a command that changes something, a layer.
 * @throws ToolFailure `unavailable` where it cannot be contained.
 */
export async function openContained(
  profile: ContainedProfile,
  { user, programs }: { readonly user: SandboxUser | undefined; readonly programs: ContainedPrograms },
): Promise<ContainedCommand> {
  const { contained } = profile;
  const { project } = contained;
  const isLayered = writesIn(profile) && contained.through !== true;
  const state = projectState(contained.folder, project);
  mkdirSync(state.folder, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  await withFileLock(lockOf(state), () => recoverPast(state));
  if (isLayered) await wait(CLOCK_PAUSE_MS);
  const layer = openLayer(state, user, isLayered);
  const renamed = isLayered ? renamedFolders({ line: contained.line, cwd: profile.cwd, project }) : NONE;
  try {
    const copied = await copyWhole(renamed.fitting, { project, layer, user });
    const at = { folder: join(state.folder, "place"), project, ...(user === undefined ? {} : { user }) };
    const request = {
      ...{ id: `run-${randomUUID()}`, hosts: contained.hosts, ports: contained.ports },
      decoys: decoysFor(profile),
    };
    const { place, run } = await begun(at, request, contained.keptFor);
    const ofRun = join(at.folder, RUNS, request.id);
    const parts = { profile, project, state, layer, place, run, ofRun };
    const running = { ...parts, isLayered, user, programs, renamed, copied, masked: [] as readonly string[] };
    return {
      ...{
        home: layer.home,
        temporary:
          (contained.temporary === "session" && profile.temporary) ||
          ownFolder(join(state.folder, "tmp"), user),
        shown: run.mounts,
        isLayered,
      },
      over(mounts) {
        const hidden = isLayered ? mounts.filter(({ as }) => as === "hidden file") : [];
        running.masked = maskFiles(
          hidden.map(({ path }) => path),
          { project, masks: layer.masks, user, copied },
        );
        const isMasked = running.masked.length > 0;
        const entering = { join: place.join, project, programs, isLayered, isMasked };
        return {
          mounts: isLayered ? overLayer(withEmpty(mounts, state), running) : mounts,
          before: layerArgs(layer, entering),
        };
      },
      done: (end, deciding) => lookedAfter({ ...running, deciding }, end).finally(() => place.close()),
      async abandon() {
        await run.end().catch(() => undefined);
        place.close();
        forgetLayer(layer);
      },
    };
  } catch (error) {
    forgetLayer(layer);
    throw error;
  }
}

/** A place that ends before the command has begun in it is opened anew, once. */
async function begun(
  at: PlaceOptions,
  request: RunRequest,
  keptFor: readonly number[] = [],
  isLast = false,
): Promise<{ readonly place: Place; readonly run: OpenRun }> {
  const place = await openPlace(at);
  try {
    for (const pid of keptFor) await place.keepFor(pid);
    return { place, run: await place.beginRun(request) };
  } catch (error) {
    place.close();
    if (isLast || !place.hasEnded()) throw error;
    return begun(at, request, keptFor, true);
  }
}

type ContainedProfile = SandboxProfile & { readonly contained: Containment };

/** @throws ToolFailure `unavailable` for a profile with several folders to change: they would not change together. */
function writesIn({ write, contained: { project } }: ContainedProfile): boolean {
  const other = write.find(
    (path) => !isWithin(path, project) && !TEMPORARY_NAMES.some((name) => isWithin(path, name)),
  );
  if (other === undefined) return write.some((path) => isWithin(path, project));
  throw new ToolFailure(
    "unavailable",
    `The command cannot be contained: it may change ${other}, outside of the project.`,
  );
}

function ownFolder(path: string, user: SandboxUser | undefined): string {
  const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
  if (isMade && user !== undefined) lchownSync(path, user.uid, user.gid);
  return path;
}

/** Hidden files stay regular ones, and empty: programs give up at a device that is listed as a file, or a closed one. */
function withEmpty(mounts: readonly Mount[], { folder }: ProjectState): readonly Mount[] {
  const empty = join(folder, "empty");
  if (!existsSync(empty)) {
    writeFileSync(empty, "");
    // Commands of root run as another user, who reads it whatever the mask of this process is.
    chmodSync(empty, 0o444);
  }
  return mounts.map((mount) =>
    mount.as === "hidden file" ? { path: mount.path, as: "readable", source: empty } : mount,
  );
}

/** Names are protected by looking at the changes afterwards; what is hidden stays hidden. */
function overLayer(
  mounts: readonly Mount[],
  { project, layer, masked }: Pick<RunningCommand, "project" | "layer" | "masked">,
): readonly Mount[] {
  const there = new Set(masked.map((name) => join(project, name)));
  return mounts.flatMap((mount): readonly Mount[] => {
    if (mount.path === project) return [{ path: project, as: "cache", source: layer.merged, isLayer: true }];
    if (there.has(mount.path)) return [];
    const isOpen = mount.as === "guarded" || mount.as === "pinned" || mount.as === "writable";
    return isOpen && isWithin(mount.path, project) ? [] : [mount];
  });
}

const NONE: RenamedFolders = { fitting: [], others: [] };

interface RunningCommand {
  readonly renamed: RenamedFolders;
  readonly copied: ReadonlySet<string>;
  readonly masked: readonly string[];
  readonly profile: ContainedProfile;
  readonly isLayered: boolean;
  readonly project: string;
  readonly state: ProjectState;
  readonly layer: Layer;
  readonly place: Place;
  readonly run: OpenRun;
  /** The folder of its processes, as long as one of them runs. */
  readonly ofRun: string;
  readonly user: SandboxUser | undefined;
  readonly programs: ContainedPrograms;
}

type EndedCommand = RunningCommand & { readonly deciding: readonly string[] };

/** Looks at what the command did, decides, and keeps or holds it. @throws ToolFailure if nothing could be kept. */
async function lookedAfter(running: EndedCommand, end: CommandEnding): Promise<number> {
  const exitCode = end?.exitCode ?? null;
  const { layer, profile, run } = running;
  const { wants: all, alive } = await run.end();
  const reached = worstFirst(all);
  const isInstalling = installs(profile.contained.line, running.project);
  const wants = exitCode === 0 ? reached.filter((want) => !isByTheWay(want, isInstalling)) : reached;
  const built = readFileSync(builtAt(layer), "utf8");
  if (exitCode !== null && exitCode !== 0 && !built.includes('"exit-code"')) {
    forgetLayer(layer);
    const said = built.startsWith("{") || built === "" ? "" : ` (no layer could be mounted: ${built.trim()})`;
    throw new ToolFailure("unavailable", `The command did not run: its sandbox could not be built${said}.`);
  }
  const unmoved = exitCode === 0 || !running.isLayered ? [] : notRenamed(running.renamed, end?.output?.head);
  const refused = [...wants.map(wantLine), ...unmoved];
  const pretended = homeWrites(running);
  const home = profile.environment["HOME"] ?? "/";
  const seenWith = (work: readonly HeldWork[]) =>
    seenEffects({ wants, work, project: running.project, pretended, home });
  const goingOn = running.isLayered && alive.length > 0 ? { isGoingOn: true as const } : {};
  const nothing: ContainedOutcome = {
    kept: [],
    held: [],
    refused,
    pretended,
    seen: seenWith([]),
    ...goingOn,
  };
  if (!running.isLayered) {
    if (alive.length > 0) leaveToRun(layer, running.ofRun);
    forgetLayer(layer);
    profile.contained.onOutcome(nothing);
    return 0;
  }
  const { set, isOver, failed } = await changesOf(running, alive.length > 0);
  if (alive.length > 0) leaveToRun(layer, running.ofRun);
  const isStopped = wants.some(isDangerous) || (refused.length > 0 && exitCode !== 0);
  if ((set.changes.length === 0 && failed === undefined) || (exitCode !== 0 && isStopped)) {
    profile.contained.onOutcome(nothing);
    if (isOver || alive.length > 0) forgetLayer(layer);
    return 0;
  }
  const { work, ...became } = await settled(running, set, { isStopped, failed });
  profile.contained.onOutcome({ ...nothing, ...became, seen: seenWith(work) });
  return became.kept.length;
}

/** What the command left different. Where that cannot be told, its layer stays as it is, and why. */
async function changesOf(running: EndedCommand, isAlive: boolean) {
  const { layer, place, project, copied, masked, programs, user } = running;
  const folders = { ...layer, below: project, copied };
  const settling = { layer, join: place.join, mount: programs.mount, user };
  let isOver = false;
  try {
    const shown = shownNames({ ...folders, merged: `${place.root}${layer.merged}` });
    isOver = !isAlive && (readdirSync(layer.upper).length === 0 || (await isReleased(settling)));
    if (!isOver) await setAside(settling);
    const { changes, left } = changeSet(folders, shown);
    return { set: { changes: changes.filter((one) => !isSeenOnly(one, masked)), left }, isOver };
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw error;
    return {
      set: { changes: [], left: readdirSync(layer.upper) },
      isOver: false,
      failed: JSON.stringify(errorText(error)),
    };
  }
}
