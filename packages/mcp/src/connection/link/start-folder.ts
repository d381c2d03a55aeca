import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty directory that a program is started in. */
export interface StartFolder {
  readonly path: string;
  /** Removes it with everything that the program left there. Never rejects. */
  remove(): Promise<void>;
}

/**
 * Creates a directory for one run of a program, writable only for us. Programs that fetch others (npx and the like),
 * and `python -m`, prefer code in their working directory: so it must not be a project.
 */
export async function startFolder(within: string | undefined): Promise<StartFolder> {
  const parent = within ?? tmpdir();
  if (within !== undefined) await mkdir(within, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(await realpath(parent), "toolkeep-server-"));
  // npm also looks for modules and settings in parent directories, up to the first that has modules.
  await mkdir(join(path, "node_modules"), { mode: 0o700 });
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}

/** The same for a sandboxed program: it cannot write there, and it may run as another user. */
export async function sandboxedStartFolder(): Promise<StartFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "toolkeep-server-"));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}
