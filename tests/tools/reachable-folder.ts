import { chmodSync, mkdtempSync, realpathSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

/**
 * A new folder outside of the temporary ones, which a sandbox replaces, that the user of commands can reach. Root's
 * commands run as another user, to whom a checkout in root's home is closed.
 */
export function reachableFolder(prefix: string, inCheckout = join(process.cwd(), "node_modules")): string {
  const isRoot = process.getuid?.() === 0;
  const isUsable = !isTemporary(inCheckout) && (!isRoot || isOpen(inCheckout));
  const elsewhere = isRoot ? "/srv" : userInfo().homedir;
  const folder = realpathSync(mkdtempSync(join(isUsable ? inCheckout : elsewhere, prefix)));
  chmodSync(folder, 0o755);
  return folder;
}

function isTemporary(path: string): boolean {
  const real = realpathSync(path);
  return ["/tmp", "/var/tmp", tmpdir()].some((folder) => real.startsWith(`${folder}/`));
}

const OTHERS_MAY_ENTER = 0o001;

function isOpen(path: string): boolean {
  const isEntered = (statSync(path).mode & OTHERS_MAY_ENTER) !== 0;
  return isEntered && (path === "/" || isOpen(dirname(path)));
}
