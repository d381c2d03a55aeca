import { homedir } from "node:os";

/** A path for reading: `~` instead of the home directory. */
export function atHome(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
