import { realpathSync } from "node:fs";

/** Where links really lead; the path itself if that is unknown. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
