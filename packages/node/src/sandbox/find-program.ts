import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";

/** Where an administrator installs programs. The search path is not asked: it may lead into a workspace. */
const FOLDERS: readonly string[] = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/run/current-system/sw/bin",
];

/** Where a program of the system is; `undefined` when it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
