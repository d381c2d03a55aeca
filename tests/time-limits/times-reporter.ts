import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** What a file took: its tests and hooks together, and its slowest test. */
export interface FileTimes {
  readonly file: string;
  readonly project: string;
  readonly seconds: number;
  readonly slowest: number;
  /** All that is not within a test. */
  readonly hooks: number;
}

/** Adds a line for each file to the one that `TOOLKEEP_TIMES` names. @public */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by it
export default class TimesReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const path = process.env["TOOLKEEP_TIMES"];
    if (path === undefined) return;
    const times = [...module.children.allTests()].map((test) => test.diagnostic()?.duration ?? 0);
    const { duration } = module.diagnostic();
    const sum = times.reduce((one, other) => one + other, 0);
    const found: FileTimes = {
      file: relative(process.cwd(), module.moduleId),
      project: module.project.name,
      seconds: inSeconds(duration),
      slowest: inSeconds(Math.max(0, ...times)),
      hooks: inSeconds(Math.max(0, duration - sum)),
    };
    appendFileSync(path, `${JSON.stringify(found)}\n`);
  }
}

function inSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
