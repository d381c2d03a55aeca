import { TOOL_CACHES as table } from "@toolkeep/catalog/internal";

/** Where a build tool or a package manager keeps what it would otherwise build or load again. */
export interface ToolCache {
  readonly name: string;
  /** The variable that names the tool's folder instead. */
  readonly variable?: string;
  /** What the usual folder is in: the home, the user's folder for caches, or `.local/share` of the home. */
  readonly base: "home" | "cache" | "data";
  /** The tool's usual folder. */
  readonly folder: string;
  /** The part of that folder that is the cache. Default: all of it. */
  readonly part?: string;
  /** Whether it holds packages, which a build without network cannot do without. Otherwise it holds results. */
  readonly isPackages?: true;
  /** Names in the cache that may hold addresses with credentials. */
  readonly hidden?: readonly string[];
  /** Files with credentials next to the cache, as seen from the tool's folder. They are never shown with it. */
  readonly secrets?: readonly string[];
}

export const TOOL_CACHES = table as readonly ToolCache[];
