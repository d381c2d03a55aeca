import { chmodSync, lstatSync, lutimesSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { SandboxUser } from "../../host/sandbox-user.ts";
import type { Change } from "./change-set.ts";
import { giveTo, type Layer } from "./open-layer.ts";
import { REMADE } from "./remade.ts";
import { statsAt } from "./stamp.ts";

interface Masking {
  readonly project: string;
  readonly layer: Pick<Layer, "masks">;
  readonly user: SandboxUser | undefined;
  /** What the layer of the command has already, relative to the project. */
  readonly copied: ReadonlySet<string>;
}

/**
 * Hides files by empty ones in a layer: a mount on each would keep the folders around them from being removed. Returns
 * those that are hidden so, relative to the project.
 */
export function maskFiles(paths: readonly string[], masking: Masking): readonly string[] {
  const { project, user, copied } = masking;
  const { masks } = masking.layer;
  const uid = user?.uid ?? process.getuid?.();
  const around = new Set<string>();
  const names = paths
    .filter((path) => isBeneath(path, project))
    .map((path) => path.slice(project.length + 1))
    .filter((name) => {
      const folders = foldersOf(name);
      // What a folder is to the command, the upper one of its two layers says.
      const isOwn = folders.every((folder) => Number(statsAt(join(project, folder))?.uid) === uid);
      if (!isOwn || copied.has(name)) return false;
      for (const folder of folders) around.add(folder);
      return true;
    });
  if (names.length === 0) return [];
  const outerFirst = [...around].toSorted((one, other) => one.length - other.length);
  for (const folder of outerFirst) {
    const at = join(masks, folder);
    mkdirSync(at, { recursive: true });
    chmodSync(at, lstatSync(join(project, folder)).mode & 0o7777);
    giveTo(at, user);
  }
  for (const name of names) {
    const at = join(masks, name);
    writeFileSync(at, "");
    chmodSync(at, 0o444);
    giveTo(at, user);
  }
  for (const name of [...names, ...outerFirst.toReversed()]) {
    const { atime, mtime } = lstatSync(join(project, name));
    lutimesSync(join(masks, name), atime, mtime);
  }
  return names;
}

/** The innermost first; the project itself is `""`. */
function foldersOf(name: string): readonly string[] {
  const folder = dirname(name);
  return folder === "." ? [""] : [folder, ...foldersOf(folder)];
}

/** Looking at an empty file instead of the real one is no change of it. */
export function isSeenOnly({ path, does }: Change, masked: readonly string[]): boolean {
  return (does === "touch" || does === "mode") && masked.includes(path);
}

/** Why a change has to wait that a command made without seeing what it replaces. */
export function maskObjection(
  path: string,
  { does }: Pick<Change, "does">,
  masked: readonly string[],
): string | undefined {
  if (does === "put" && masked.includes(path)) return "the command saw an empty file instead";
  if (does !== "remove" || REMADE.test(path)) return undefined;
  return masked.some((one) => isWithin(one, path)) ? "it has hidden content" : undefined;
}
