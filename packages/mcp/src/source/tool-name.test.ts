import fc from "fast-check";
import { expect, test } from "vitest";
import { plainName, prefixedName, type ToolAddress } from "./tool-name.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 2_000);
const PROVIDERS_TAKE = /^[A-Za-z0-9_-]{1,64}$/;

/** Few letters, so that clashes are likely if they are possible. */
const part = fc.oneof(
  fc.stringMatching(/^[ab_]{1,5}$/),
  fc.stringMatching(/^[ab_.-]{1,4}$/),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom("a", "_", "."), minLength: 50, maxLength: 90 }),
);
const address: fc.Arbitrary<ToolAddress> = fc.record({ server: part, tool: part });

test("[C115] a tool is called after its server and itself", () => {
  expect(prefixedName({ server: "github", tool: "get_issue" })).toBe("github_get_issue");
  expect(prefixedName({ server: "my-server", tool: "search" })).toBe("my-server_search");
  expect(prefixedName({ server: "my_server", tool: "search" })).toBe("my_server__search");
  expect(plainName({ server: "github", tool: "get_issue" })).toBe("get_issue");
});

test("no two tools have the same name, and every provider takes it", () => {
  fc.assert(
    fc.property(fc.array(address, { minLength: 2, maxLength: 30 }), (directories) => {
      const distinct = new Map(directories.map((one) => [JSON.stringify([one.server, one.tool]), one]));
      const names = [...distinct.values()].map(prefixedName);
      expect(new Set(names).size).toBe(distinct.size);
      for (const name of names) expect(name).toMatch(PROVIDERS_TAKE);
      for (const one of distinct.values()) expect(plainName(one)).toMatch(PROVIDERS_TAKE);
    }),
    { numRuns: RUNS },
  );
});

test("every pair of short names is told apart", () => {
  const text = [..."a b _ a_ _a a_b a__b b_c b__c _b_c c a-b __ a_b_c a.b".split(" "), "a b"];
  const names = text.flatMap((server) => text.map((tool) => prefixedName({ server, tool })));
  expect(new Set(names).size).toBe(text.length ** 2);
});

test("a tool that calls itself like a name with a hash does not get that name", () => {
  const long = prefixedName({ server: "a", tool: "b.c" });
  expect(long).toMatch(/^a_b_c-[0-9a-f]{10}$/);
  expect(prefixedName({ server: "a", tool: long.slice(2) })).not.toBe(long);
  expect(plainName({ server: "a", tool: long })).not.toBe(long);
});

test("a name depends on its own server and tool alone, and long ones stay apart", () => {
  const tool = "t".repeat(80);
  const one = prefixedName({ server: "a", tool: `${tool}1` });
  expect(one).toHaveLength(64);
  expect(one).not.toBe(prefixedName({ server: "a", tool: `${tool}2` }));
  expect(one).toBe(prefixedName({ server: "a", tool: `${tool}1` }));
});
