import { describe, expect, test } from "vitest";
import { HOSTILE_SHAPES } from "./growth/hostile-shapes.ts";
import { errorSeen, growthError, LONG_SIZES, PARSER_SIZES, SHORT_SIZES } from "./growth/measure.ts";
import { KNOWN_TO_GROW, TEXT_FUNCTIONS } from "./growth/text-functions.ts";

const isCampaign = Number(process.env["TOOLKEEP_RUNS"] ?? 1) > 1;
/** Mostly parsers of others, or on top of one, which take much longer than everything else: to be tried at length in a campaign. */
const PARSERS: ReadonlySet<string> = new Set([
  ...["parseCommand", "parsePolicy", "readSkill", "OpenAPI documents"],
  ...["htmlToText, Markdown", "htmlToText, plain"],
  ...["classOfCommand", "commandEffects", "commandEffects of others", "watchdogs that ship"],
]);

/** `npm run check:long` and campaigns try all shapes, otherwise each function has another third of them. */
const EVERY = isCampaign || process.env["TOOLKEEP_LONG"] !== undefined ? 1 : 3;

function shapesFor(name: string) {
  const turn = Object.keys(TEXT_FUNCTIONS).indexOf(name);
  return Object.entries(HOSTILE_SHAPES).filter((_, index) => index % EVERY === turn % EVERY);
}

async function errorsOf(name: string, run: (text: string) => unknown): Promise<readonly string[]> {
  const sizes = isCampaign ? LONG_SIZES : PARSERS.has(name) ? PARSER_SIZES : SHORT_SIZES;
  const errors: string[] = [];
  for (const [title, shape] of shapesFor(name)) {
    const error = await growthError({ run, shape, sizes });
    if (error !== undefined) errors.push(`${title}: ${error}`);
  }
  return errors;
}

describe("what takes text of others takes time in proportion to it, whatever stands in it", () => {
  test.each(Object.entries(TEXT_FUNCTIONS))("%s", async (name, run) => {
    expect(await errorsOf(name, run)).toEqual([]);
  });

  test("parsers of others are among them", () => {
    expect(Object.keys(TEXT_FUNCTIONS)).toEqual(expect.arrayContaining([...PARSERS]));
  });
});

describe("the measure finds", () => {
  test.each(Object.entries(KNOWN_TO_GROW))("%s", async (_name, [name, run]) => {
    const shape = HOSTILE_SHAPES[name] as (length: number) => string;
    let error: string | undefined;
    // The machine may be busy with others just then.
    for (let tries = 0; tries < 3 && error === undefined; tries += 1)
      error = await errorSeen({ run, shape, sizes: SHORT_SIZES });
    expect(error).toMatch(/ms for \d+/);
  });
});
