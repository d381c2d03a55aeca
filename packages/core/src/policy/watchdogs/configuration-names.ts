import { AUTO_EXECUTED } from "./auto-executed-names.ts";

const ALL = AUTO_EXECUTED.map(({ name }) => name);
const isWild = (name: string) => name.includes("*");

/** Folders of git, of editors, of agents, of hooks and pipelines: what stands in them is run or obeyed. */
export const CONFIGURATION_FOLDERS: ReadonlySet<string> = new Set(
  ALL.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
);

export const CONFIGURATION_NAMES: ReadonlySet<string> = new Set(
  ALL.filter((name) => !name.includes("/") && !isWild(name)),
);

/** Those that are known by the names around them, or only by a part of their own. */
const PLACES = pattern(ALL.filter((name) => !name.endsWith("/") && (name.includes("/") || isWild(name))));

function pattern(names: readonly string[]): RegExp {
  const sources = names.map((name) => name.replaceAll(/[.+]/g, "\\$&").replaceAll("*", "[^/]*"));
  return new RegExp(`/(?:${sources.join("|")})/`);
}

/** The hooks of a bare repository, which any folder can be made into. */
const HOOK =
  /\/hooks\/(?:(?:pre|post)-(?:commit|merge-commit|merge|rebase|checkout|push|applypatch|receive|rewrite|update|auto-gc)|prepare-commit-msg|commit-msg|applypatch-msg|fsmonitor-watchman|update|reference-transaction)\//;

/** Whether folded segments lead to configuration that decides what is run, or who may do what. */
export function isConfigurationPath(segments: readonly string[]): boolean {
  if (segments.some((segment) => CONFIGURATION_FOLDERS.has(segment) || CONFIGURATION_NAMES.has(segment))) {
    return true;
  }
  const joined = `/${segments.join("/")}/`;
  return PLACES.test(joined) || HOOK.test(joined);
}
