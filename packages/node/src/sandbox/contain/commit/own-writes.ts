import { constants, copyFileSync, linkSync, mkdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { defined, isBeneath } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import type { BeforeChange } from "../../../files/write-file.ts";
import { writeOwnedFile } from "../../../owned-files/write-owned-file.ts";
import { forgetLayer, type Layer, openLayer, projectState } from "../layer/open-layer.ts";
import { type Stamp, stampAt, statsAt } from "../layer/stamp.ts";
import { DONE, PLAN } from "./notes.ts";
import { closePast, type PastCommand } from "./past.ts";
import type { Step } from "./steps.ts";

export type OwnWrites = ReturnType<typeof ownWrites>;

interface OwnWriting {
  readonly folder: string;
  readonly project: string;
  readonly toolName: string;
  readonly by: Pick<PastCommand, "callId" | "sessionId">;
  onKept(number: number, paths: readonly string[]): void;
}

interface Kept extends Pick<Step, "was" | "over"> {
  readonly from: string;
}

/** What one call of a tool writes by itself, kept so that it can be undone as a command can. */
export function ownWrites({ folder, project, toolName, by, onKept }: OwnWriting) {
  const kept = new Map<string, Kept>();
  let layer: Layer | undefined;
  let running = 0;

  async function writeDown(into: Layer): Promise<void> {
    const steps = [...kept].flatMap(([path, one]) => stepFor(path, one, project));
    const paths = steps.map(({ path }) => path);
    if (steps.length === 0) {
      forgetLayer(into);
      kept.clear();
      layer = undefined;
      return;
    }
    await writeOwnedFile(join(into.folder, DONE), JSON.stringify(steps.map(({ after }) => after)));
    // The plan last: without it there is nothing to undo, and nothing to recover.
    await writeOwnedFile(join(into.folder, PLAN), JSON.stringify({ version: 1, project, steps }));
    const line = `${toolName} ${paths.join(" ")}`;
    await closePast(into.folder, { ...by, line, kept: paths, held: [], work: [] });
    onKept(into.number, paths);
  }

  /** Keeps what is at a path that is about to change. */
  const before: BeforeChange = (path, held) => {
    if (!isBeneath(path, project) || kept.has(path)) return;
    layer ??= layerFor(folder, project);
    if (layer === undefined) return;
    const from = join(layer.folder, "old", `${kept.size}`);
    // A second name is a change of the file.
    const over = stampAt(held);
    kept.set(path, { from, ...defined({ over, was: keptAt(held, from) }) });
  };

  return {
    before,
    /** Does the change, and writes down what it was. */
    async during<Result>(change: () => Promise<Result>): Promise<Result> {
      running += 1;
      try {
        return await change();
      } finally {
        running -= 1;
        if (running === 0 && layer !== undefined) await writeDown(layer);
      }
    },
  };
}

/** `undefined` where containment is impossible as well: on another mount nothing could be given back in one step. */
function layerFor(folder: string, project: string): Layer | undefined {
  const { uid, gid } = statSync(project);
  try {
    const user = process.getuid?.() === 0 ? { uid, gid } : undefined;
    const layer = openLayer(projectState(folder, project), user, false);
    mkdirSync(join(layer.folder, "old"), { mode: 0o700 });
    return layer;
  } catch (error) {
    if (ToolFailure.isInstance(error)) return undefined;
    throw error;
  }
}

/** The file itself gets a second name, so that all of it is kept; where it cannot have one, a copy. */
function keptAt(held: string, from: string): Stamp | undefined {
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
  return stampAt(from);
}

/** What became of it, and what is there now; nothing if it is as it was. */
function stepFor(path: string, { from, was, over }: Kept, project: string) {
  const now = stampAt(path);
  if (now?.ino === was?.ino) return [];
  const does = now === undefined ? "remove" : was === undefined ? "put" : "replace";
  const step: Step = { path: relative(project, path), from, does, ...defined({ was, over, now }) };
  return [{ ...step, after: now ?? null }];
}
