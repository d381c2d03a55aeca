import { POLICY_KEYWORDS } from "@toolkeep/core/internal";

/** What the value of a key is. */
export type ValueKind =
  | { readonly type: "word"; readonly words: readonly string[] }
  | { readonly type: "flag" }
  | { readonly type: "count" }
  | { readonly type: "path" }
  | { readonly type: "texts" }
  | { readonly type: "names" }
  | { readonly type: "paths" };

export interface ConfigKey {
  readonly is: ValueKind;
  readonly description: string;
  /** Which values a project may set: any, none, or only the strictest. */
  readonly project: "any" | "never" | { readonly only: string | boolean };
}

/**
 * Every key but `tools`, by its path. A project may be trusted to run its tools and still must not widen what they may
 * reach: keys that would widen it are `never` the project's.
 */
export const CONFIG_KEYS: Readonly<Record<string, ConfigKey>> = {
  mode: {
    is: { type: "word", words: POLICY_KEYWORDS.modes },
    description: "What becomes of a call that a rule asks about.",
    project: { only: "ask" },
  },
  policy: {
    is: { type: "path" },
    description: "A policy file. Those of all layers are read.",
    project: "any",
  },
  allowed: {
    is: { type: "texts" },
    description: "The only tools that may be used. A tool must be on the list of every file that has one.",
    project: "any",
  },
  denied: {
    is: { type: "texts" },
    description: "Tools that may not be used.",
    project: "any",
  },
  "sandbox.prefer": {
    is: { type: "word", words: ["bubblewrap", "sandbox-runtime", "container", "none"] },
    description: "Which sandbox is tried first.",
    project: "never",
  },
  "sandbox.required": {
    is: { type: "flag" },
    description: "Whether no command may run without a sandbox.",
    project: { only: true },
  },
  "network.privateHosts": {
    is: { type: "texts" },
    description: "Hosts with private addresses that may be reached all the same.",
    project: "never",
  },
  "network.proxy": {
    is: { type: "word", words: ["off", "environment"] },
    description: "Whether the proxies that the environment names are used.",
    project: "never",
  },
  "environment.pass": {
    is: { type: "names" },
    description: "Names of environment values that commands and tools may see.",
    project: "never",
  },
  "journal.folder": { is: { type: "path" }, description: "Where journals are kept.", project: "never" },
  "journal.keepDays": { is: { type: "count" }, description: "How long journals are kept.", project: "never" },
  roots: {
    is: { type: "paths" },
    description: "Folders outside the project that belong to the workspace.",
    project: "never",
  },
  files: { is: { type: "paths" }, description: "Single files outside the workspace.", project: "never" },
};

/** What every tool can be configured with; the rest is the tool's own. */
export const TOOL_KEYS: Readonly<Record<"enabled" | "timeoutMs", ConfigKey>> = {
  enabled: {
    is: { type: "flag" },
    description: "Whether the tool can be used.",
    project: { only: false },
  },
  timeoutMs: {
    is: { type: "count" },
    description: "How long a call may take, in milliseconds.",
    project: "any",
  },
};

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The names that a part of a configuration may have: `sandbox` has `prefer` and `required`. */
export function namesBelow(group: string): readonly string[] {
  const prefix = group === "" ? "" : `${group}.`;
  const below = Object.keys(CONFIG_KEYS).filter((key) => key.startsWith(prefix));
  const names = new Set(below.map((key) => key.slice(prefix.length).split(".")[0] ?? ""));
  return group === "" ? ["$schema", "tools", ...names] : [...names];
}
