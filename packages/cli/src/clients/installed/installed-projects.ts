import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import { INSTALL_CLIENTS, type InstallClientName } from "../install-client.ts";

export interface InstalledProject {
  readonly project: string;
  readonly client: InstallClientName;
  /** Whether the folder of the project is still there. */
  readonly exists: boolean;
}

/** The projects where this user has installed the program, by their records. */
export async function installedProjects(): Promise<readonly InstalledProject[]> {
  const folder = join(directories().state, "install");
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.flatMap((name) => INSTALL_CLIENTS.map((client) => installed(join(folder, name), client))),
  );
  return found
    .filter((one) => one !== undefined)
    .toSorted((a, b) => (a.project === b.project ? 0 : a.project < b.project ? -1 : 1));
}

/** One line for each project. */
export function projectLines(projects: readonly InstalledProject[]): readonly string[] {
  const byProject = Map.groupBy(projects, ({ project }) => project);
  return [...byProject].map(([project, all]) => {
    const clients = all.map(({ client }) => client).join(", ");
    return `${project}: ${clients}${all[0]?.exists === true ? "" : " (the folder is gone)"}`;
  });
}

async function installed(folder: string, client: InstallClientName): Promise<InstalledProject | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(folder, `${client}.json`), "utf8"));
    const { project } = record as { readonly project?: unknown };
    if (typeof project !== "string") return undefined;
    const exists = (await stat(project).catch(() => undefined))?.isDirectory() === true;
    return { project, client, exists };
  } catch {
    return undefined;
  }
}
