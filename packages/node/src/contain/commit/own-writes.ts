import { constants, copyFileSync, linkSync, mkdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath } from "@toolkeep/core/internal";
import { errorCode } from "../../files/file-failure.ts";
import type { BeforeChange } from "../../files/write-file.ts";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";
import { stampOf, statsAt } from "../layer/change-set.ts";
import { forgetLayer, type Layer, openLayer, projectState } from "../layer/open-layer.ts";
import { DONE, PLAN } from "./commit.ts";
import { closePast } from "./past.ts";
import { type Step, type WrittenStamp, written } from "./steps.ts";

/** What one call of a tool writes by itself, kept so that it can be undone as a command can. */
export interface OwnWrites {
  /** Keeps what is at a path that is about to change. */
  readonly before: BeforeChange;
  /** Does the change, and writes down what it was. */
  during<Result>(change: () => Promise<Result>): Promise<Result>;
}

interface OwnWriting {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly toolName: string;
  onKept(number: number, paths: readonly string[]): void;
}

interface Kept {
  readonly root: string;
  readonly from: string;
  readonly was?: WrittenStamp;
}

export function ownWrites({ folder, roots, toolName, onKept }: OwnWriting): OwnWrites {
  const layers = new Map<string, Layer | undefined>();
  const kept = new Map<string, Kept>();
  let running = 0;

  async function writeAllDown(): Promise<void> {
    for (const [root, layer] of layers) {
      const own = [...kept].filter(([, one]) => one.root === root);
      const steps = own.flatMap(([path, one]) => stepFor(path, one));
      if (layer === undefined) continue;
      await writeDown(steps, { layer, root, toolName });
      const paths = steps.map(({ path }) => path);
      if (paths.length > 0) onKept(layer.number, paths);
      else layers.delete(root);
      for (const [path] of paths.length > 0 ? [] : own) kept.delete(path);
    }
  }

  return {
    before(path, held) {
      const root = roots.find((one) => isBeneath(path, one));
      if (root === undefined || kept.has(path)) return;
      if (!layers.has(root)) layers.set(root, layerFor(folder, root));
      const layer = layers.get(root);
      if (layer === undefined) return;
      const from = join(layer.folder, "old", `${kept.size}`);
      const was = keptAt(held, from);
      kept.set(path, { root, from, ...(was === undefined ? {} : { was }) });
    },
    async during(change) {
      running += 1;
      try {
        return await change();
      } finally {
        running -= 1;
        if (running === 0) await writeAllDown();
      }
    },
  };
}

/** `undefined` where containment is impossible as well: on another mount nothing could be given back in one step. */
function layerFor(folder: string, root: string): Layer | undefined {
  const { uid, gid } = statSync(root);
  try {
    const layer = openLayer(
      projectState(folder, root),
      process.getuid?.() === 0 ? { uid, gid } : undefined,
      false,
    );
    mkdirSync(join(layer.folder, "old"), { mode: 0o700 });
    return layer;
  } catch (error) {
    if (ToolFailure.isInstance(error)) return undefined;
    throw error;
  }
}

/** The file itself gets a second name, so that all of it is kept; where it cannot have one, a copy. */
function keptAt(held: string, from: string): WrittenStamp | undefined {
  const there = statsAt(held);
  if (there === undefined) return undefined;
  if (there.isDirectory()) mkdirSync(from, { mode: Number(there.mode & 0o777n) });
  else
    try {
      linkSync(held, from);
    } catch (error) {
      if (errorCode(error) !== "EPERM") throw error;
      copyFileSync(held, from, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
  const stats = statsAt(from);
  return stats && written(stampOf(stats));
}

/** What became of it; nothing if the change did not happen. */
function stepFor(
  path: string,
  { root, from, was }: Kept,
): readonly (Step & { readonly after: WrittenStamp | null })[] {
  const stats = statsAt(path);
  const named = { path: relative(root, path), from, ...(was === undefined ? {} : { was }) };
  if (stats === undefined) return was === undefined ? [] : [{ ...named, does: "remove", after: null }];
  const after = written(stampOf(stats));
  if (after.ino === was?.ino) return [];
  return [{ ...named, does: was === undefined ? "put" : "replace", now: { ino: after.ino }, after }];
}

interface Writing {
  readonly layer: Layer;
  readonly root: string;
  readonly toolName: string;
}

/** The plan last: without it there is nothing to undo, and nothing to recover. */
async function writeDown(
  steps: ReturnType<typeof stepFor>,
  { layer, root, toolName }: Writing,
): Promise<void> {
  if (steps.length === 0) return forgetLayer(layer);
  const paths = steps.map(({ path }) => path);
  await writeOwnedFile(join(layer.folder, DONE), JSON.stringify(steps.map(({ after }) => after)));
  await writeOwnedFile(join(layer.folder, PLAN), JSON.stringify({ version: 1, project: root, steps }));
  await closePast(layer.folder, { line: `${toolName} ${paths.join(" ")}`, kept: paths, held: [], work: [] });
}
