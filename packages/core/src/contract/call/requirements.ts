/**
 * What a tool may ever need, declared when it is registered. Paths and hosts are patterns and may
 * contain variables: `{workspace}`, `{ad-hoc}`, `{user-data}`, `{tmp}`.
 */
export interface RequirementSet {
  readonly fs?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly net?: { readonly hosts?: readonly string[] };
  readonly shell?: readonly ShellRequirement[];
  /** Names of environment values. */
  readonly env?: readonly string[];
  /** Any capability that the other fields do not cover, by name. */
  readonly capabilities?: readonly string[];
}

/** One command a tool may run: the executable and, in order, what its arguments may be. */
export interface ShellRequirement {
  readonly cmd: string;
  readonly args?: readonly ArgPattern[];
}

/** Matches one argument exactly, any one argument, or one that starts with the prefix. */
export type ArgPattern = string | { readonly wildcard: true } | { readonly prefix: string };

/** What the variables in requirements stand for in this session. A variable may have several values, or none. */
export interface Variables {
  readonly workspace?: readonly string[];
  readonly "ad-hoc"?: readonly string[];
  readonly "user-data"?: readonly string[];
  /** The folders for temporary files. In a sandbox: `/tmp`, of which every session has its own. */
  readonly tmp?: readonly string[];
}

/** The most an agent may need, whatever its tools declare. Default: unlimited. */
export type Ceiling = RequirementSet | "unlimited";

/** The capabilities that the calls of a tool may have: what rules on them can name. */
export function capabilitiesOf(requires: RequirementSet | "unknown" | undefined): readonly string[] {
  if (requires === undefined || requires === "unknown") return ["unknown"];
  const { fs = {}, net, shell, env, capabilities = [] } = requires;
  return [
    ...(fs.read === undefined ? [] : ["fs.read"]),
    ...(fs.write === undefined ? [] : ["fs.write"]),
    ...(net?.hosts === undefined || net.hosts.length === 0 ? [] : ["net.fetch"]),
    ...(shell === undefined ? [] : ["shell.run"]),
    ...(env === undefined ? [] : ["env.read"]),
    ...capabilities,
  ];
}

const VARIABLE_NAMES: ReadonlySet<string> = new Set(["workspace", "ad-hoc", "user-data", "tmp"]);

/** The first variable in a pattern, e.g. `workspace` for `{workspace}/src`. Alternatives (`{a,b}`) are none. */
export function variableIn(
  pattern: string,
): { readonly name: string; readonly isKnown: boolean } | undefined {
  const name = /\{([A-Za-z][\w-]*)\}/.exec(pattern)?.[1];
  return name === undefined ? undefined : { name, isKnown: VARIABLE_NAMES.has(name) };
}
