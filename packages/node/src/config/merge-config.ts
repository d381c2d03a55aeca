import type { Config, ConfigOrigin } from "./config.ts";
import type { Statement } from "./read-config-text.ts";

export interface MergedConfig {
  readonly config: Config;
  /** Every place that had a say in a key, e.g. `tools.bash.timeoutMs`; the one that counts most comes last. */
  readonly origins: ReadonlyMap<string, readonly ConfigOrigin[]>;
}

/** Puts together what files say; those that count more come later. */
export function mergeConfig(statements: readonly Statement[]): MergedConfig {
  const byKey = Map.groupBy(statements, ({ path }) => path.join("."));
  const all = (key: string) => byKey.get(key) ?? [];
  const last = (key: string) => all(key).at(-1)?.value;
  const mode = last("mode");
  const parts: { readonly [Key in keyof Config]: unknown } = {
    ...(mode === undefined ? {} : { mode }),
    policy: all("policy").map(({ value, layer, policy }) => ({ path: value, layer, ...policy })),
    tools: toolsOf(statements),
    allowed: all("allowed").map(({ value }) => value),
    denied: [...new Set(all("denied").flatMap(({ value }) => value))],
    sandbox: groupOf("sandbox", statements),
    network: groupOf("network", statements),
    environment: groupOf("environment", statements),
    journal: groupOf("journal", statements),
    roots: last("roots") ?? [],
    files: last("files") ?? [],
  };
  const origins = new Map([...byKey].map(([key, said]) => [key, said.map(originOf)]));
  // Each value was checked against its key when it was read.
  return { config: freezeDeep(parts) as Config, origins };
}

function groupOf(group: string, statements: readonly Statement[]): object {
  const said = statements.filter(({ path }) => path[0] === group);
  return Object.fromEntries(said.map(({ path, value }) => [path[1], value]));
}

/** Settings of tools go together key by key; what a key holds is taken whole. */
function toolsOf(statements: readonly Statement[]): object {
  const ofTools = statements.filter(({ path }) => path[0] === "tools");
  const byTool = Map.groupBy(ofTools, ({ path }) => path[1] ?? "");
  return Object.fromEntries(
    [...byTool].map(([tool, said]) => [
      tool,
      Object.fromEntries(said.map(({ path, value }) => [path[2], value])),
    ]),
  );
}

function originOf({ layer, file, position: { line, column } }: Statement): ConfigOrigin {
  return { layer, file, line, column };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
