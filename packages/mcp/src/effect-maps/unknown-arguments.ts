import type { MappedTool } from "./effect-map.ts";
import { type ArgumentPath, each, readArgumentPath, readTarget } from "./mapped-target.ts";

/** The paths of the arguments that a map does not name: they may change what the call does. */
export function unknownArguments(mapped: MappedTool, args: unknown): readonly string[] {
  return args === undefined || args === null ? [] : unknownIn(args, knownPaths(mapped), "");
}

const known = new WeakMap<MappedTool, readonly ArgumentPath[]>();

/** Every argument that the map reads, checks, or declares to be harmless. */
function knownPaths(mapped: MappedTool): readonly ArgumentPath[] {
  const before = known.get(mapped);
  if (before !== undefined) return before;
  const { effects, checks = {}, arguments: harmless = [] } = mapped;
  const read = effects
    .flatMap(({ target, entriesOf }) => [target, ...(entriesOf === undefined ? [] : [entriesOf])])
    .flatMap(readTarget)
    .flatMap((part) => (typeof part === "string" ? [] : [part.path, part.within ?? part.path]));
  const statements = effects.flatMap(({ stated }) => stated?.split(" ").slice(1) ?? []);
  const paths = [...read, ...[...Object.keys(checks), ...statements, ...harmless].map(readArgumentPath)];
  known.set(mapped, paths);
  return paths;
}

function unknownIn(value: unknown, paths: readonly ArgumentPath[], name: string): readonly string[] {
  if (paths.some((path) => path.length === 0)) return [];
  if (paths.length === 0 && name !== "") return [name];
  const below = (step: ArgumentPath[number]) =>
    paths.filter((path) => path[0] === step).map((path) => path.slice(1));
  if (Array.isArray(value)) return value.flatMap((one) => unknownIn(one, below(each), `${name}[]`));
  if (typeof value !== "object" || value === null) return [name];
  return Object.entries(value).flatMap(([key, one]) =>
    one === undefined ? [] : unknownIn(one, below(key), name === "" ? key : `${name}.${key}`),
  );
}
