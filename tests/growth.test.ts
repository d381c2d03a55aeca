import { describe, expect, test } from "vitest";
import { HOSTILE_SHAPES } from "./growth/hostile-shapes.ts";
import { growthFault, LONG_SIZES, SHORT_SIZES } from "./growth/measure.ts";
import { KNOWN_TO_GROW, TEXT_FUNCTIONS } from "./growth/text-functions.ts";

const isCampaign = Number(process.env["TOOLKEEP_RUNS"] ?? 1) > 1;
const sizes = isCampaign ? LONG_SIZES : SHORT_SIZES;

async function faultsOf(run: (text: string) => unknown): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, shape] of Object.entries(HOSTILE_SHAPES)) {
    const fault = await growthFault({ run, shape, sizes });
    if (fault !== undefined) faults.push(`${name}: ${fault}`);
  }
  return faults;
}

describe("what takes text of others takes time in proportion to it, whatever stands in it", () => {
  test.each(Object.entries(TEXT_FUNCTIONS))(
    "%s",
    async (_name, run) => {
      expect(await faultsOf(run)).toEqual([]);
    },
    isCampaign ? 1_800_000 : 120_000,
  );
});

describe("the measure finds", () => {
  test.each(Object.entries(KNOWN_TO_GROW))("%s", async (_name, [name, run]) => {
    const shape = HOSTILE_SHAPES[name] as (length: number) => string;
    expect(await growthFault({ run, shape, sizes: SHORT_SIZES })).toMatch(/ms for \d+/);
  });
});
