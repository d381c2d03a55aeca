import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findProject } from "@toolkeep/node";
import { CommandError, EXIT } from "../terminal/command-error.ts";

export interface ProjectChoice {
  /** As it was written, from `cwd`. Left out: the repository that `cwd` is in. */
  readonly project?: string | undefined;
  readonly cwd: string;
}

/** The canonical folder of the project that a command is about. @throws CommandFault where there is none. */
export async function projectFolder({ project, cwd }: ProjectChoice): Promise<string> {
  return project === undefined ? findProject(cwd) : realFolder(resolve(cwd, project));
}

/** A folder that somebody named, by its canonical path. @throws CommandFault where there is none. */
export async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && (await stat(real).catch(() => undefined))?.isDirectory() === true) return real;
  throw new CommandError(`There is no folder ${path}.`, {
    exit: EXIT.usage,
    hint: "Name one that is there and that you may look into.",
  });
}
