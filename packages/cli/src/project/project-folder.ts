import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findProject } from "@toolkeep/node";

export interface ProjectChoice {
  /** As it was written, from `cwd`. Left out: the repository that `cwd` is in. */
  readonly project?: string | undefined;
  readonly cwd: string;
}

/** The canonical folder of the project that a command is about. */
export async function projectFolder({ project, cwd }: ProjectChoice): Promise<string> {
  return project === undefined ? findProject(cwd) : realpath(resolve(cwd, project));
}
