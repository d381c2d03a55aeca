import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder of our own that a program is started in. */
export interface StartFolder {
  readonly path: string;
  /** Removes it with all that the program left there. Never rejects. */
  remove(): Promise<void>;
}

/**
 * Makes a folder for one life of a program, to which nobody else can write. Programs that fetch others (npx and the
 * like), and `python -m`, prefer code that lies where they start: so that must not be a project.
 */
export async function startFolder(within: string | undefined): Promise<StartFolder> {
  const parent = within ?? tmpdir();
  if (within !== undefined) await mkdir(within, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(await realpath(parent), "toolkeep-server-"));
  // npm looks for modules and settings in the folders above as well, up to the first that has modules.
  await mkdir(join(path, "node_modules"), { mode: 0o700 });
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}

/** The same for a program within walls: it cannot write there, and it may run as another user. */
export async function sandboxedStartFolder(): Promise<StartFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "toolkeep-server-"));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}
