import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "./layer/open-layer.ts";

const NAMED = /(?<![\w.-])\/(?:var\/)?tmp\/([\w.@+=:-]+)/g;

/** Whether a line names a temporary file that contained commands left: it is in the place alone. */
export function isTemporaryInPlace(folder: string, project: string, line: string): boolean {
  const temporary = join(projectState(folder, project).folder, "tmp");
  return [...line.matchAll(NAMED)].some(
    ([, name = ""]) => name !== ".." && existsSync(join(temporary, name)),
  );
}
