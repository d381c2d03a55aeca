import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Where a client keeps what is the user's own, if a variable says so. */
const FOLDERS: Readonly<Record<string, string>> = {
  "~/.copilot": "COPILOT_HOME",
  "~/.config": "XDG_CONFIG_HOME",
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a name of a file stands for one of the user, outside of the project. */
export function isUserPath(name: string): boolean {
  return name.startsWith("~/");
}

/** The path that such a name stands for. */
export function userPath(name: string, environment: Environment = process.env): string {
  for (const [folder, variable] of Object.entries(FOLDERS)) {
    const other = environment[variable] ?? "";
    if (other !== "" && (name === folder || name.startsWith(`${folder}/`)))
      return join(other, name.slice(folder.length));
  }
  return join(homedir(), name.slice(2));
}

/** The names of the folders that contain such a file, without the user's own one. */
export function userFolders(name: string): readonly string[] {
  const folder = dirname(name);
  return folder === "~" ? [] : [...userFolders(folder), folder];
}
