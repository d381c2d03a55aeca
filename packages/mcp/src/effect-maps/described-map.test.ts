import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerDescription } from "@toolkeep/catalog";
import { ToolFailure } from "@toolkeep/core";
import { describe, expect, test } from "vitest";
import { describedMap } from "./described-map.ts";
import type { EffectMap } from "./effect-map.ts";
import { effectsOf } from "./effects-of.ts";
import { unknownArguments } from "./unknown-arguments.ts";

const SERVERS = join(import.meta.dirname, "../../../catalog/servers");

interface WithExamples extends ServerDescription {
  readonly examples: readonly (readonly [tool: string, args: object, ...does: string[]])[];
}

const README = readFileSync(join(SERVERS, "../README.md"), "utf8");
const SHOWN = [...README.matchAll(/```json\n([^`]*)```/g)].at(-1)?.[1] ?? "";

const DESCRIPTIONS = [
  ...globSync("*.json", { cwd: SERVERS })
    .toSorted()
    .map((file) => readFileSync(join(SERVERS, file), "utf8")),
  SHOWN,
].map((text) => JSON.parse(text) as WithExamples);

/** The effects of a call as examples write them. */
function effectsIn({ tools }: EffectMap, tool: string, args: object): readonly string[] {
  const mapped = tools[tool];
  if (mapped === undefined) return ["?"];
  try {
    const effects = effectsOf(mapped, args).map(
      ({ capability, target, implied }) => `${implied === true ? "implied " : ""}${capability} ${target}`,
    );
    const isKnown = effects.length > 0 && unknownArguments(mapped, args).length === 0;
    return isKnown ? effects : [...effects, "?"];
  } catch (error) {
    if (ToolFailure.isInstance(error)) return ["refused"];
    throw error;
  }
}

test.each(DESCRIPTIONS)("the examples of $server hold", (description) => {
  const map = describedMap(description);
  const found = description.examples.map(([tool, args]) => [tool, args, ...effectsIn(map, tool, args)]);
  expect(found).toEqual(description.examples);
});

describe("a description becomes an effect map", () => {
  const map = describedMap({
    server: "shop",
    packages: ["npm:shop-mcp"],
    start: { args: ["--quiet"] },
    tools: [
      { mode: "read", does: ["account.read {slug:shop}"], takes: { look: "", find: "page inside:path" } },
      {
        mode: "destructive",
        idempotent: true,
        does: ["account.delete {slug:shop}", { does: "fs.read {file?}", implied: true }],
        takes: { drop: "any:id word:why" },
      },
    ],
    prompts: { ask: ["net.fetch {host:url}"] },
  });

  test("with the checks, the harmless arguments and the effects of each tool", () => {
    expect(map).toEqual({
      name: "shop",
      packages: ["npm:shop-mcp"],
      start: { args: ["--quiet"] },
      tools: {
        look: { ...READS, checks: {}, arguments: [] },
        find: { ...READS, checks: { path: "inside" }, arguments: ["page"] },
        drop: {
          mode: "destructive",
          idempotent: true,
          effects: [
            { capability: "account.delete", target: "{slug:shop}" },
            { capability: "fs.read", target: "{file?}", implied: true },
            { capability: "account.delete", target: "{any:id?}" },
          ],
          checks: { why: "word" },
          arguments: [],
        },
      },
      prompts: { ask: [{ capability: "net.fetch", target: "{host:url}" }] },
    });
  });

  test("in which a tool that is not described is unknown, and so is another argument", () => {
    expect(effectsIn(map, "buy", {})).toEqual(["?"]);
    expect(effectsIn(map, "look", { shop: "A", page: 2 })).toEqual(["account.read a", "?"]);
    expect(effectsIn(map, "find", { shop: "a", path: "../b" })).toEqual(["refused"]);
  });
});

const READS = {
  mode: "read",
  effects: [{ capability: "account.read", target: "{slug:shop}" }],
} as const;
