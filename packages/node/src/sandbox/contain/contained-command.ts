import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import { TEMPORARY_NAMES } from "../../environment/temporary-folders.ts";
import { withFileLock } from "../../owned-files/with-file-lock.ts";
import type { Mount } from "../mounts/mount-plan.ts";
import { recoverPast } from "./commit/past.ts";
import { lockOf } from "./commit/past-commands.ts";
import { maskFiles } from "./layer/masked-files.ts";
import {
  CLOCK_PAUSE_MS,
  forgetLayer,
  givenFolder,
  layerArgs,
  openLayer,
  type ProjectState,
  projectState,
} from "./layer/open-layer.ts";
import { copyWhole, renamedFolders } from "./layer/whole-folders.ts";
import { type OpenRun, openPlace, type Place, type PlaceOptions } from "./place/open-place.ts";
import { RUNS, type RunRequest } from "./place/place-protocol.ts";
import {
  type CommandEnding,
  type ContainedProfile,
  lookedAfter,
  type RunningCommand,
} from "./settle-changes.ts";
import { decoysFor } from "./wants/decoys.ts";

/** What a sandbox needs to build one contained command, and what follows it. */
export type ContainedCommand = Awaited<ReturnType<typeof openContained>>;

/**
 * Opens the place and, for a command that changes something, a layer.
 * @throws ToolFailure `unavailable` where it cannot be contained.
 */
export async function openContained(
  profile: ContainedProfile,
  { user, programs }: Pick<RunningCommand, "user" | "programs">,
) {
  const { contained, cwd } = profile;
  const { project, line, hosts, ports } = contained;
  const isLayered = writesIn(profile) && contained.through !== true;
  const state = projectState(contained.folder, project);
  mkdirSync(state.folder, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  await withFileLock(lockOf(state), () => recoverPast(state));
  if (isLayered) await wait(CLOCK_PAUSE_MS);
  const layer = openLayer(state, user, isLayered);
  const renamed = isLayered ? renamedFolders({ line, cwd, project }) : { fitting: [], others: [] };
  try {
    const copied = await copyWhole(renamed.fitting, { project, layer, user });
    const at = { folder: join(state.folder, "place"), project, ...(user && { user }) };
    const request = { id: `run-${randomUUID()}`, hosts, ports, decoys: decoysFor(profile) };
    const { place, run } = await begun(at, request, contained.keptFor);
    const ofRun = join(at.folder, RUNS, request.id);
    const parts = { profile, project, state, layer, place, run, ofRun, isLayered, user, programs };
    const running = { ...parts, renamed, copied, masked: [] as readonly string[] };
    const temporary = contained.temporary === "session" ? profile.temporary : undefined;
    return {
      home: layer.home,
      /** What is mounted read-only besides the profile's own. */
      shown: run.mounts,
      /** Whether what it writes is in a layer, and not in the project. */
      isLayered,
      temporary: temporary ?? givenFolder(join(state.folder, "tmp"), user),
      /**
       * The mounts of a profile, with the layer in the place of the project; and `before`, which stands before the command
       * that builds the sandbox.
       */
      over(mounts: readonly Mount[]) {
        if (isLayered) running.masked = maskFiles(hiddenIn(mounts), running);
        return {
          mounts: isLayered ? overLayer(withEmpty(mounts, state), running) : mounts,
          before: layerArgs(running),
        };
      },
      /** Once it is over; how many changes were kept. `deciding`: where settings that decide what is run lead. */
      done: (end: CommandEnding, deciding: readonly string[]) =>
        lookedAfter({ ...running, deciding }, end).finally(() => place.close()),
      /** Where the sandbox cannot be built after all. */
      async abandon(): Promise<void> {
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

function hiddenIn(mounts: readonly Mount[]): readonly string[] {
  return mounts.filter(({ as }) => as === "hidden file").map(({ path }) => path);
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
function overLayer(mounts: readonly Mount[], { project, layer, masked }: RunningCommand): readonly Mount[] {
  const there = new Set(masked.map((name) => join(project, name)));
  return mounts.flatMap((mount): readonly Mount[] => {
    if (mount.path === project) return [{ path: project, as: "cache", source: layer.merged, isLayer: true }];
    if (there.has(mount.path)) return [];
    const isOpen = mount.as === "guarded" || mount.as === "pinned" || mount.as === "writable";
    return isOpen && isWithin(mount.path, project) ? [] : [mount];
  });
}
