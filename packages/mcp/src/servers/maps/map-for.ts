import { invalidOption } from "@toolkeep/core/internal";
import { loadBuiltInMaps } from "../../effect-maps/built-in-maps.ts";
import type { EffectMap, MappedStart } from "../../effect-maps/effect-map.ts";
import { mapSources } from "../../effect-maps/map-sources.ts";
import type { ServerEntry, ServerSettings } from "../server-entry.ts";
import { packageOf, type StartedPackage } from "./package-of.ts";

export interface MapQuestion {
  readonly entry: ServerEntry;
  readonly settings?: ServerSettings;
  /** Additional maps. One with the name of a built-in map replaces it, and one for a package counts first. */
  readonly maps?: readonly EffectMap[];
}

/** Variables for display and locale, in every program. */
const PLAIN: ReadonlySet<string> = new Set("DEBUG FORCE_COLOR LANG LC_ALL LOG_LEVEL NO_COLOR TZ".split(" "));

/**
 * The effect map of a server: the one that its settings name, if the server is the user's own, else the one for the
 * package that its command certainly starts, if it is started as the map describes. `undefined` if there is none: its tools ask.
 * @throws ToolkeepError `invalid_option` for settings that name an unknown map.
 */
export async function mapFor({ entry, settings, maps = [] }: MapQuestion): Promise<EffectMap | undefined> {
  if (settings?.map === false) return undefined;
  const own = new Map(maps.map((map) => [map.name, map]));
  // A project chooses the names of its servers: the user's settings for a name apply to the user's own server.
  if (settings?.map !== undefined && !entry.isOfProject) {
    const builtIn = await loadBuiltInMaps();
    const named = own.get(settings.map) ?? builtIn.named(settings.map);
    if (named !== undefined) return named;
    throw invalidOption(
      `The settings of the server ${JSON.stringify(entry.name)} name the unknown effect map ${JSON.stringify(settings.map)}. Available maps: ${[...new Set([...builtIn.names, ...own.keys()])].join(", ")}.`,
    );
  }
  const started = packageOf(entry);
  if (started === undefined) return undefined;
  const map =
    [...own.values()].find((one) => mapSources(one).includes(started.source)) ??
    (await builtInFrom(started, own));
  return map !== undefined && startsAsMapped(map, started) ? map : undefined;
}

async function builtInFrom({ source }: StartedPackage, own: ReadonlyMap<string, EffectMap>) {
  const map = (await loadBuiltInMaps()).from(source);
  return map !== undefined && own.has(map.name) ? undefined : map;
}

/** Whether a program is started as its map describes: another file, option or variable may change what it does. */
function startsAsMapped({ start = {} }: EffectMap, started: StartedPackage): boolean {
  const { file, args, variables } = started;
  if (file !== undefined && file !== start.file) return false;
  const known = new Set(start.variables);
  if (!variables.every((name) => known.has(name) || PLAIN.has(name))) return false;
  return areDeclared(args, start.args ?? []);
}

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
