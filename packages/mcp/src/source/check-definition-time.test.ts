import type { Tool as McpTool } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkDefinition } from "./check-definition.ts";
import { seenTools } from "./seen-tools.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 60);
/** What the slowest text of the largest size takes is a fraction of this; what took quadratic time took a minute. */
const MOST_MS = 20_000;

const tool = (more: Partial<McpTool>): McpTool => ({ name: "x", inputSchema: { type: "object" }, ...more });
const inSchema = (text: string) => tool({ inputSchema: { type: "object", description: text } });

function msOf(definition: McpTool): number {
  const begun = process.threadCpuUsage().user;
  checkDefinition(definition);
  return (process.threadCpuUsage().user - begun) / 1_000;
}

const LARGE = 255_000;
const filled = (part: string, end = "") => `${part.repeat(Math.floor(LARGE / part.length))}${end}`;

test.each([
  ["parts of a name", `when a${filled("_a")}`],
  ["names after when", filled("when a_")],
  ["spaces", `when${filled(" ")}`],
  ["whens", filled("when the ")],
  ["befores", filled("before using ")],
  ["tags", filled("<system ")],
  ["letters", filled("A")],
  ["mixed letters", filled("aB")],
  ["joints", `a${filled("-")}`],
  ["nots", filled("do not tell ")],
  ["what grows when it is made plain", filled("\uFDFA").slice(0, LARGE / 3)],
])("the largest text of %s is looked at within a moment", (_what, text) => {
  expect(msOf(inSchema(text))).toBeLessThan(MOST_MS);
});

test("a text of any size in any place is refused or looked at within a moment", () => {
  const nameLikeWords = fc.constantFrom(
    "when ",
    "before ",
    "a_",
    "_",
    " ",
    "is called",
    "<",
    "aB",
    "-",
    ".",
    "using ",
    "é",
  );
  const texts = fc.tuple(fc.array(nameLikeWords, { minLength: 1, maxLength: 6 }), fc.nat({ max: 400_000 }));
  const path = fc.constantFrom("title", "description", "annotations", "schema", "name");
  fc.assert(
    fc.property(texts, path, ([parts, size], at) => {
      const part = parts.join("");
      const text = part.repeat(Math.ceil(size / part.length));
      const made =
        at === "schema" ? inSchema(text) : tool({ [at]: at === "annotations" ? { title: text } : text });
      return msOf(made) < MOST_MS;
    }),
    { numRuns: RUNS },
  );
});

test("every text of a definition has a bound, and none is looked into beyond it", () => {
  const long = "a".repeat(200_000);
  for (const more of [{ title: long }, { description: long }, { annotations: { title: long } }]) {
    const { refused, nameLikeWords } = checkDefinition(tool(more));
    expect(refused).toEqual([expect.stringMatching(/longer|larger/)]);
    expect(nameLikeWords.size).toBe(0);
  }
});

test("hidden characters on a long way are told of in a few words", () => {
  let deep: object = { a: "b" };
  for (let depth = 0; depth < 2_000; depth += 1) deep = { ["key\u200b".repeat(8)]: deep };
  const { refused } = checkDefinition(tool({ inputSchema: { type: "object", properties: deep } as never }));
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) expect(reason.length).toBeLessThan(3_000);
});

test("of a server that says more than is looked at in one go, the rest is refused unseen", () => {
  const description = "before using ".repeat(1_000);
  const large = { type: "object" as const, description: filled("x ") };
  const listed = Array.from({ length: 100 }, (_, at) =>
    tool({ name: `t${at}`, description, inputSchema: large }),
  );
  const seen = [...seenTools(listed, new Map()).values()];
  const refused = seen.filter(({ look }) => look.refused.length > 0);
  expect(refused.length).toBeGreaterThan(30);
  expect(refused.length).toBeLessThan(50);
  expect(refused[0]?.look.refused).toEqual([expect.stringContaining("more than")]);
  expect(seen[0]?.look.refused).toEqual([]);
});
