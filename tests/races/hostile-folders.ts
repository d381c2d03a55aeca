import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A workspace, and next to it what must not be seen or changed. */
export interface HostileFolders extends Disposable {
  readonly workspace: string;
  readonly outside: string;
}

export const CANARY = "CANARY";

/** Makes both in a folder of their own, which goes when they are disposed of. */
export function hostileFolders(): HostileFolders {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-files-")));
  const [workspace, outside] = [join(home, "ws"), join(home, "outside")];
  mkdirSync(join(workspace, "src"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(workspace, "a.txt"), "hello\n");
  writeFileSync(join(workspace, "src/b.ts"), "export const b = 1;\n");
  writeFileSync(join(outside, "secret.txt"), `${CANARY}\n`);
  writeFileSync(join(outside, "victim.txt"), "untouched\n");
  return { workspace, outside, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}
