import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";

/** A workspace, and next to it what must not be seen or changed. */
export interface HostileFolders {
  readonly workspace: string;
  readonly outside: string;
}

export const CANARY = "CANARY";

export function hostileFolders(home = temporaryFolder()): HostileFolders {
  const [workspace, outside] = [join(home, "ws"), join(home, "outside")];
  mkdirSync(join(workspace, "src"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(workspace, "a.txt"), "hello\n");
  writeFileSync(join(workspace, "src/b.ts"), "export const b = 1;\n");
  writeFileSync(join(outside, "secret.txt"), `${CANARY}\n`);
  writeFileSync(join(outside, "victim.txt"), "untouched\n");
  return { workspace, outside };
}
