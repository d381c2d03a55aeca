import { statSync } from "node:fs";
import { dirname } from "node:path";

/** As root a sandboxed server runs as another user, who must be able to reach its program: why that user cannot. */
export function closedToOthers(path: string): string | undefined {
  if (process.getuid?.() !== 0 || path === "/") return undefined;
  const isClosed = (statSync(path).mode & 0o001) === 0;
  return isClosed ? `no other user can enter ${path}` : closedToOthers(dirname(path));
}
