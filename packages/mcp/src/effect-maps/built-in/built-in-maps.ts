import type { EffectMap } from "../effect-map.ts";
import { FETCH_MAP } from "./fetch.ts";
import { FILESYSTEM_MAP } from "./filesystem.ts";
import { GIT_MAP } from "./git.ts";
import { GITHUB_MAP } from "./github.ts";
import { MEMORY_MAP } from "./memory.ts";
import { PLAYWRIGHT_MAP } from "./playwright.ts";

/** What the tools of well-known servers do. */
export const BUILT_IN_MAPS: readonly EffectMap[] = Object.freeze([
  FILESYSTEM_MAP,
  GIT_MAP,
  FETCH_MAP,
  MEMORY_MAP,
  GITHUB_MAP,
  PLAYWRIGHT_MAP,
]);
