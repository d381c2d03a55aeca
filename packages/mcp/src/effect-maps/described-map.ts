import type { ServerDescription } from "@toolkeep/catalog";
import { defined } from "@toolkeep/core/internal";
import type { ArgumentCheck, EffectMap, MappedEffect, MappedTool } from "./effect-map.ts";

type DescribedTools = ServerDescription["tools"][number];
type DescribedEffect = DescribedTools["does"][number];

/** The effect map of a server by its description in the catalogue. */
export function describedMap(description: ServerDescription): EffectMap {
  const { server, packages, start, environment, tools, prompts, resources } = description;
  return {
    name: server,
    packages,
    tools: Object.fromEntries(tools.flatMap(mappedTools)),
    ...defined({
      start,
      environment,
      prompts: prompts && readings(prompts),
      resources: resources && readings(resources),
    }),
  };
}

function readings(described: NonNullable<ServerDescription["prompts"]>): NonNullable<EffectMap["prompts"]> {
  return Object.fromEntries(Object.entries(described).map(([name, does]) => [name, does.map(mappedEffect)]));
}

function mappedTools({ mode, idempotent, does, takes }: DescribedTools): readonly [string, MappedTool][] {
  const effects = does.map(mappedEffect);
  return Object.entries(takes).map(([tool, text]) => {
    const { any = [], "": harmless = [], ...checks } = argumentsByKind(text);
    const [first] = effects;
    const anywhere = first && any.map((name) => ({ capability: first.capability, target: `{any:${name}?}` }));
    const mapped: MappedTool = {
      mode,
      ...defined({ idempotent }),
      effects: [...effects, ...(anywhere ?? [])],
      checks: Object.fromEntries(
        Object.entries(checks).flatMap(([kind, names]) =>
          names.map((name) => [name, kind as ArgumentCheck] as const),
        ),
      ),
      arguments: harmless,
    };
    return [tool, mapped];
  });
}

/** The arguments of a tool by the word before their colon. */
function argumentsByKind(text: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const [, kind = "", name = ""] of text.matchAll(/(?:(\w+):)?(\S+)/g)) {
    found[kind] = [...(found[kind] ?? []), name];
  }
  return found;
}

function mappedEffect(described: DescribedEffect): MappedEffect {
  const { does, ...further } = typeof described === "string" ? { does: described } : described;
  const space = does.indexOf(" ");
  return { capability: does.slice(0, space), target: does.slice(space + 1), ...further };
}
