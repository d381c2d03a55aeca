import { realpathSync } from "node:fs";

/** Where links really lead; the path as it is where that cannot be told. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
