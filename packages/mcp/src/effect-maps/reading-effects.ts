import type { Effect, RequirementSet } from "@toolkeep/core";
import type { EffectMap, MappedEffect } from "./effect-map.ts";
import { effectsOf } from "./effects-of.ts";
import { readAs } from "./read-argument.ts";
import { requirementsOf } from "./requirements-of.ts";
import { unknownArguments } from "./unknown-arguments.ts";

/** The effects of reading a prompt or a resource of a server. */
export interface ReadingEffects {
  /**
   * The effect of the request itself, without its target: `mcp.read`, implied if the map describes it, and `mcp.call`
   * if there is a map that does not describe it.
   */
  readonly own: Pick<Effect, "capability" | "implied">;
  /** Its further effects. */
  readonly effects: readonly Effect[];
}

/**
 * The effects of filling in a prompt. An address in an argument may be fetched, whatever the server declares.
 * @throws ToolFailure `invalid_arguments` for arguments whose effects are unknown.
 */
export function promptEffects(
  map: EffectMap | undefined,
  name: string,
  args: Readonly<Record<string, unknown>>,
): ReadingEffects {
  const texts = Object.entries(args).map(([key, value]) => [key, textOf(value)] as const);
  const hosts = texts.flatMap(([key, text]) => hostsIn(text, key));
  return reading({ map, mapped: own(map?.prompts, name), args, hosts });
}

/**
 * The effects of reading a resource, by its address. File addresses are evaluated by the caller.
 * @throws ToolFailure `invalid_arguments` for an address whose effects are unknown.
 */
export function resourceEffects(map: EffectMap | undefined, uri: string): ReadingEffects {
  const scheme = URL.parse(uri)?.protocol.slice(0, -1) ?? "";
  return reading({ map, mapped: own(map?.resources, scheme), args: { uri }, hosts: hostsIn(uri, "uri") });
}

/** What reading prompts and resources of a server can require. `files` are patterns in addition to the workspace. */
export function readingRequirements(
  map: EffectMap | undefined,
  files: readonly string[] = [],
): RequirementSet {
  const mapped = [map?.prompts, map?.resources].flatMap((kind) => Object.values(kind ?? {}).flat());
  const needed = requirementsOf({ mode: "read", effects: [...mapped, ANY_HOST] }, files);
  const names = [...(needed.capabilities ?? []), "mcp.read", ...(map === undefined ? [] : ["mcp.call"])];
  return { ...needed, capabilities: [...new Set(names)] };
}

const ANY_HOST: MappedEffect = { capability: "net.fetch", target: "*" };

interface Reading {
  readonly map: EffectMap | undefined;
  readonly mapped: readonly MappedEffect[] | undefined;
  readonly args: unknown;
  readonly hosts: readonly string[];
}

function reading({ map, mapped, args, hosts }: Reading): ReadingEffects {
  const declared = mapped === undefined ? [] : effectsOf({ mode: "read", effects: mapped }, args);
  const resolved = declared.map((effect) => ({ ...effect, known: "inferred" as const }));
  const known = new Set(declared.map(({ capability, target }) => `${capability} ${target}`));
  const fetched = [...new Set(hosts)]
    .filter((host) => !known.has(`net.fetch ${host}`))
    .map((host) => ({ capability: "net.fetch", target: host, known: "inferred" as const }));
  const effects = [...resolved, ...fetched];
  if (map === undefined) return { own: { capability: "mcp.read" }, effects };
  const isOpaque =
    mapped === undefined || unknownArguments({ mode: "read", effects: mapped }, args).length > 0;
  if (declared.length === 0 || isOpaque) return { own: { capability: "mcp.call" }, effects };
  return { own: { capability: "mcp.read", implied: true }, effects };
}

function own<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Also with other slashes, and with none: some programs accept these as well. */
const ADDRESS = /https?:[/\\]*[^\s/\\"'<>`][^\s"'<>`]*/gi;
/** Characters that end a sentence, or close the brackets around an address. */
const AFTER = /[.,;:!?)\]}]+$/;

function hostsIn(text: string, argument: string): readonly string[] {
  return [...text.matchAll(ADDRESS)].map(([address]) =>
    readAs("host", address === text ? address : address.replace(AFTER, ""), [argument]),
  );
}
