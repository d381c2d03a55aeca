import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { INSTALL_CLIENTS, type InstallClientName } from "../../clients/install-client.ts";
import { userPath } from "../../clients/user-path.ts";
import { TRACES } from "./client-traces.ts";

/** A client that seems to be used here, and why. */
export interface FoundClient {
  readonly client: InstallClientName;
  /** `project`: the project has files of it. `program`: it can be started. `user`: the user has settings of it. */
  readonly by: "project" | "program" | "user";
  /** The path that was found. */
  readonly path: string;
}

/** The clients that are used here, by names of files alone: nothing of the project is read, and nothing is started. */
export async function findClients(project: string): Promise<readonly FoundClient[]> {
  const found = await Promise.all(INSTALL_CLIENTS.map((client) => findClient(client, project)));
  return found.filter((one) => one !== undefined);
}

async function findClient(client: InstallClientName, project: string): Promise<FoundClient | undefined> {
  const { project: names, programs, user } = TRACES[client];
  const here = await firstOf(names.map((name) => join(project, name)));
  if (here !== undefined) return { client, by: "project", path: here };
  const program = await firstOf(onPath(programs, project), constants.X_OK);
  if (program !== undefined) return { client, by: "program", path: program };
  const own = await firstOf(user.map((name) => userPath(name)));
  return own === undefined ? undefined : { client, by: "user", path: own };
}

/** Not in the project: a file there is no program of the user. */
function onPath(programs: readonly string[], project: string): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const outside = folders.filter((folder) => isAbsolute(folder) && !isWithin(folder, project));
  return outside.flatMap((folder) => programs.map((name) => join(folder, name)));
}

async function firstOf(paths: readonly string[], mode: number = constants.F_OK): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, mode).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
