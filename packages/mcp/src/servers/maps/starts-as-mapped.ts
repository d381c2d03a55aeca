import type { EffectMap, MappedStart } from "../../effect-maps/effect-map.ts";
import type { StartedPackage } from "./package-of.ts";

/**
 * Whether a program is started as its map describes. Another file of its package, an option or an environment variable
 * that the map does not name may change what it does.
 */
export function startsAsMapped({ start = {} }: EffectMap, started: StartedPackage): boolean {
  const { file, args, variables } = started;
  if (file !== undefined && file !== start.file) return false;
  const known = new Set(start.variables);
  if (!variables.every((name) => known.has(name) || PLAIN.has(name))) return false;
  return areDeclared(args, start.args ?? []);
}

/** Variables for display and locale, in every program. */
const PLAIN: ReadonlySet<string> = new Set("DEBUG FORCE_COLOR LANG LC_ALL LOG_LEVEL NO_COLOR TZ".split(" "));

function areDeclared(args: readonly string[], known: NonNullable<MappedStart["args"]>): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] as string;
    if (known.includes(argument)) continue;
    const equals = argument.indexOf("=");
    if (equals !== -1 && known.includes(argument.slice(0, equals + 1))) continue;
    if (known.includes(`${argument}=`) && isPlain(args[at + 1])) at += 1;
    else if (!known.includes("*") || !isPlain(argument)) return false;
  }
  return true;
}

/** Not an option, even after expansion. */
function isPlain(argument: string | undefined): boolean {
  return argument !== undefined && !/^(?:-|\$\{(?!workspaceFolder\}|userHome\}))/.test(argument);
}
