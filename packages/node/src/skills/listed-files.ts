import { readdir } from "node:fs/promises";
import { join } from "node:path";

const MOST_FILES = 100;
const DEEPEST = 3;

/** A paragraph that names the files beside a `SKILL.md`, so that they can be read; empty where there are none. */
export async function listedFiles(folder: string): Promise<string> {
  const files: string[] = [];
  await collect(folder, "", files);
  if (files.length === 0) return "";
  const listed = files.slice(0, MOST_FILES).map((path) => `- ${JSON.stringify(path).slice(1, -1)}`);
  if (files.length > MOST_FILES) listed.push("- and more");
  return `\n\nFiles of this skill, in ${folder}:\n${listed.join("\n")}`;
}

/** Links are not followed: they are listed as nothing, and led nowhere. */
async function collect(folder: string, beneath: string, files: string[]): Promise<void> {
  const entries = await readdir(join(folder, beneath), { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (files.length > MOST_FILES) return;
    const path = beneath === "" ? entry.name : `${beneath}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules" || path === "SKILL.md") continue;
    if (entry.isFile()) files.push(path);
    if (entry.isDirectory() && path.split("/").length < DEEPEST) await collect(folder, path, files);
  }
}
