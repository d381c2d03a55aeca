import { join } from "node:path";
import { statsAt } from "./stamp.ts";

/** What tools make again from the rest. */
export const REMADE =
  /(?:^|\/)(?:node_modules|site-packages|\.venv|venv|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.tox|\.nox|target|dist|build|out|coverage|htmlcov|\.next|\.nuxt|\.svelte-kit|\.turbo|\.parcel-cache|\.gradle|\.cache|_build|cmake-build-[\w-]+|[^/]+\.egg-info)(?:\/|$)/;

/** Made again from the rest, as its name or a mark of its tool says. */
export function isRemade(path: string, below: string): boolean {
  if (REMADE.test(path)) return true;
  const parts = path.split("/");
  return parts.some((_, at) =>
    MARKS.some((mark) => statsAt(join(below, ...parts.slice(0, at + 1), mark)) !== undefined),
  );
}

/** What tools leave in the folders that they make: CMake, Ninja, and everybody who follows the standard for caches. */
const MARKS = ["CMakeCache.txt", ".ninja_log", "CACHEDIR.TAG"];
