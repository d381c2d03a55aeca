import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CANARY, type HostileFolders, hostileFolders } from "./hostile-folders.ts";

/** The names that are both in the folder and in the one outside. */
const NAMES = ["read", "remove", "search"] as const;

/** A folder `d` in a workspace that another process keeps swapping with a link to the one outside. */
export interface SwappedFolder extends AsyncDisposable {
  readonly workspace: string;
  /** Where the folder's own entry of that name is, whatever the folder is called right now. */
  inside(name: string): string;
  /** How much of what lies outside is not as it was. */
  changedOutside(): number;
}

/** Why this cannot be shown here; `undefined` if it can. */
export function whyNoRace(): string | undefined {
  if (process.platform !== "linux") return "only Linux can exchange two names at once";
  return spawnSync("python3", ["--version"]).status === 0 ? undefined : "there is no python3";
}

/** Begins to swap. */
export async function swappedFolder(): Promise<SwappedFolder> {
  const folders = hostileFolders();
  const { workspace, outside } = folders;
  mkdirSync(join(workspace, "d"));
  for (const name of NAMES) {
    writeFileSync(join(workspace, "d", name), "inside\n");
    writeFileSync(join(outside, name), `${CANARY}\n`);
  }
  symlinkSync(outside, join(workspace, "e"));
  symlinkSync("d/read", join(workspace, "inner-link"));
  const descriptor = openSync(join(workspace, "d"), "r");
  const swapper = await startSwapping(folders);
  return {
    workspace,
    inside: (name) => `/proc/self/fd/${descriptor}/${name}`,
    changedOutside: () => changedIn(outside),
    async [Symbol.asyncDispose]() {
      const gone = once(swapper, "exit");
      swapper.kill("SIGKILL");
      await gone;
      closeSync(descriptor);
    },
  };
}

async function startSwapping({ workspace }: HostileFolders): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("swap-folders.py", import.meta.url));
  const swapper = spawn("python3", [script, join(workspace, "d"), join(workspace, "e")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(swapper.stdout, "data");
  return swapper;
}

const BEFORE = [...NAMES, "secret.txt", "victim.txt"];

function changedIn(outside: string): number {
  const now = readdirSync(outside);
  const made = now.filter((name) => !BEFORE.includes(name)).length;
  const gone = BEFORE.filter((name) => !now.includes(name)).length;
  const other = NAMES.filter(
    (name) => now.includes(name) && !readFileSync(join(outside, name), "utf8").includes(CANARY),
  );
  return made + gone + other.length;
}
