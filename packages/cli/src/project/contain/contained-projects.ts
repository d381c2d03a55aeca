import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { containFolder, readOwnedFile, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { Project } from "../read-project.ts";

const MOST_BYTES = 1_000_000;

/** In the user's state folder: no file of a project can switch containment on or off. */
function projectsFile(): string {
  return join(containFolder(), "projects.json");
}

/** Whether commands of a project that no rule knows run contained: its user chose so, or the administrator did. */
export async function isContaining({ root, config }: Pick<Project, "root" | "config">): Promise<boolean> {
  if (config.contain !== undefined) return config.contain === "require";
  return (await containedProjects()).includes(root);
}

/** The projects whose user chose containment. A file that others may write says nothing. */
export async function containedProjects(): Promise<readonly string[]> {
  const found = await readOwnedFile(projectsFile(), { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined || found.error !== undefined) return [];
  try {
    const { version, projects } = JSON.parse(found.text) as { version?: unknown; projects?: unknown };
    return version === 1 && Array.isArray(projects) ? projects.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** Takes effect with the next command. Durable when it returns. */
export async function setContaining(root: string, isOn: boolean): Promise<void> {
  const file = projectsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o711 });
  await withFileLock(`${file}.lock`, async () => {
    const others = (await containedProjects()).filter((one) => one !== root);
    const projects = isOn ? [...others, root].toSorted() : others;
    await writeOwnedFile(file, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`);
  });
}
