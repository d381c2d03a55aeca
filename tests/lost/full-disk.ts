import { mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWork } from "./killed-process.ts";
import { killedRound } from "./kills.ts";
import { makeTemplate, randomFrom, removeStage, type Work } from "./stage.ts";

interface FullDiskFigures {
  /** Calls of the kernel from which on the disk was full. */
  steps: number;
  /** Of them: the work failed. */
  failed: number;
  readonly errors: string[];
}

/** Lets the disk become full at one call after the other. Work that fails must leave the project as it was, at once. */
export async function fillAtEachStep(seed: number, every = 1): Promise<FullDiskFigures> {
  const figures: FullDiskFigures = { steps: 0, failed: 0, errors: [] };
  using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-lost-"));
  const work = await bundleWork(base.path);
  const template = makeTemplate(join(base.path, "template"), randomFrom(seed));
  const round = async (does: Work["does"], full: number) => {
    const folder = join(base.path, "round");
    mkdirSync(folder);
    const outcome = await killedRound({ work, template, folder, does, full });
    removeStage(folder);
    return outcome;
  };
  for (const does of ["commit", "keep", "undo"] as const) {
    const { calls } = (await round(does, 0)).killed;
    for (let full = 1; full <= calls.length; full += every) {
      const { killed, left, errors } = await round(does, full);
      figures.steps += 1;
      if (killed.code !== 0) figures.failed += 1;
      const expected = killed.code === 0 ? "after" : "before";
      const where = `${does} with a full disk from call ${full} on, ${calls[full - 1]}`;
      if (left !== expected) figures.errors.push(`${where}: it ended with ${killed.code} and left ${left}`);
      for (const error of errors) figures.errors.push(`${where}: ${error}`);
    }
  }
  return figures;
}
