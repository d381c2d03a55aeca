import { clearPathWithin } from "./clear-path.ts";
import type { MappedTool } from "./effect-map.ts";
import { type ArgumentPath, each, readArgumentPath, readTarget } from "./mapped-target.ts";

/**
 * The arguments of a call with absolute paths instead of relative ones, in the arguments that a map reads as paths. The
 * server gets these arguments too: how it resolves a relative path is unknown.
 * @throws ToolFailure `invalid_arguments` for a relative path with more than one meaning.
 */
export function absolutePaths(mapped: MappedTool, args: unknown, folder: string): unknown {
  let changed = args;
  for (const path of pathArguments(mapped)) changed = replaced(changed, { path, at: 0, folder });
  return changed;
}

/** The arguments that are paths by themselves, and not parts of other paths. */
function pathArguments({ effects, checks = {} }: MappedTool): readonly ArgumentPath[] {
  const targets = effects.flatMap(({ capability, target, entriesOf }) =>
    [target, ...(entriesOf === undefined ? [] : [entriesOf])].flatMap((one) =>
      readTarget(one).flatMap((part, index) => {
        if (typeof part === "string") return [];
        if (part.within !== undefined) return [part.within];
        const isPath = part.reading === "path" || (capability.startsWith("fs.") && index === 0);
        return isPath ? [part.path] : [];
      }),
    ),
  );
  const checked = Object.entries(checks).flatMap(([name, kind]) =>
    kind === "path" ? [readArgumentPath(name)] : [],
  );
  return [...targets, ...checked];
}

interface Replacement {
  readonly path: ArgumentPath;
  /** The step of the path. */
  readonly at: number;
  readonly folder: string;
}

/** What is not as the map requires stays as it is, and is refused when the effects are read. */
function replaced(value: unknown, { path, at, folder }: Replacement): unknown {
  const step = path[at];
  const next = { path, at: at + 1, folder };
  if (step === undefined) return typeof value === "string" ? absolute(value, path, folder) : value;
  if (step === each) return Array.isArray(value) ? value.map((one) => replaced(one, next)) : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [step]: replaced(fields[step], next) };
}

function absolute(value: string, path: ArgumentPath, folder: string): string {
  return value === "" || value.startsWith("/") || value.startsWith("~")
    ? value
    : clearPathWithin(value, folder, path);
}
