import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findProject } from "@toolkeep/node/internal";
import { usageError } from "../terminal/command-error.ts";

export interface ProjectChoice {
  /** A path relative to `cwd`. Default: the repository that contains `cwd`. */
  readonly project?: string | undefined;
  readonly cwd: string;
}

/** The canonical path of the project of a command. @throws CommandError if it does not exist. */
export async function projectFolder({ project, cwd }: ProjectChoice): Promise<string> {
  return project === undefined ? findProject(cwd) : realFolder(resolve(cwd, project));
}

/** The canonical path of a directory. @throws CommandError if it does not exist. */
export async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && (await stat(real).catch(() => undefined))?.isDirectory() === true) return real;
  throw usageError(
    `The directory ${path} does not exist or cannot be read.`,
    "Check the path after --project.",
  );
}
