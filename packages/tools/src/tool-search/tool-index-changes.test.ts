import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-entry.ts";

const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 200);

describe("changes", () => {
  test("a removed tool is not found, and an added tool is", () => {
    const index = createToolIndex([entry("a", "find the invoice"), entry("b", "send the invoice")]);
    index.remove(["a", "unknown"]);
    expect(index.search("invoice", 5).map(({ id }) => id)).toEqual(["b"]);
    index.add([entry("c", "print the invoice")]);
    expect(index.search("invoice", 5).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(index.size).toBe(2);
  });

  test("a tool that is added again is replaced, before and after a search", () => {
    const index = createToolIndex([entry("a", "old words")]);
    index.add([entry("a", "new thing"), entry("a", "newest thing")]);
    expect(index.search("old", 5)).toEqual([]);
    index.add([entry("a", "last invoice")]);
    expect(index.search("thing", 5)).toEqual([]);
    expect(index.search("invoice", 5)).toHaveLength(1);
    expect(index.size).toBe(1);
  });

  test("a tool that is replaced thousands of times between two searches is found once, with its last content", () => {
    const index = createToolIndex([entry("a", "first invoice")]);
    for (let version = 0; version < 3_000; version += 1) index.add([entry("b", `invoice version${version}`)]);
    expect(index.search("invoice", 5).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(index.search("version", 5).map(({ id }) => id)).toEqual(["b"]);
    expect(index.size).toBe(2);
  });

  test("names of built-in JavaScript properties are ordinary ids", () => {
    const index = createToolIndex(["__proto__", "constructor", "toString"].map((id) => entry(id, "thing")));
    expect(index.search("thing", 5)).toHaveLength(3);
    index.remove(["__proto__"]);
    expect(index.search("constructor", 5).map(({ id }) => id)).toEqual(["constructor"]);
  });

  test("after any changes, the result equals that of a new index, with identical scores", () => {
    const change = fc.record({ id: fc.constantFrom(...IDS), words: fc.array(WORD, { maxLength: 6 }) });
    const step = fc.oneof(
      fc.record({ add: change }),
      fc.record({ remove: fc.constantFrom(...IDS) }),
      fc.record({ search: QUERY }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), QUERY, (steps, query) => {
        const index = createToolIndex();
        const live = new Map<string, ToolEntry>();
        for (const each of steps) {
          if ("search" in each) index.search(each.search, 3);
          else if ("remove" in each) {
            index.remove([each.remove]);
            live.delete(each.remove);
          } else {
            const added = entry(each.add.id, each.add.words.join(" "));
            index.add([added]);
            live.set(added.id, added);
          }
        }
        const anew = createToolIndex([...live.values()].reverse());
        expect(index.size).toBe(live.size);
        expect(index.search(query, 10)).toEqual(anew.search(query, 10));
      }),
      { numRuns },
    );
  });

  test("a longer result begins with the shorter one, and its scores never rise", () => {
    const tools = fc.array(fc.array(WORD, { minLength: 1, maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(tools, QUERY, fc.nat(10), (texts, query, limit) => {
        const index = createToolIndex(texts.map((words, at) => entry(`tool${at}`, words.join(" "))));
        const all = index.search(query, 100);
        expect(index.search(query, limit)).toEqual(all.slice(0, limit));
        for (const [at, { score }] of all.entries()) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(all[at - 1]?.score ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns },
    );
  });
});

describe("hostile tools and queries", () => {
  test("a query of 10 MB costs no more than its first part", () => {
    const index = createToolIndex([entry("a", "find the invoice")]);
    const long = `invoice ${"find every word. ".repeat(600_000)}`;
    expect(long.length).toBeGreaterThan(10_000_000);
    const first = long.slice(0, 4_096);
    expect(index.search(long, 5)).toEqual(index.search(first, 5));
    const fastest = (query: string) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const start = performance.now();
          index.search(query, 5);
          return performance.now() - start;
        }),
      );
    // All of it is 2,500 times as long.
    expect(fastest(long)).toBeLessThan(100 * Math.max(fastest(first), 0.1));
  });

  test("text after the first 4,096 characters of a description is ignored", () => {
    const index = createToolIndex([entry("a", `${"filler ".repeat(1_000)} invoice`), entry("b", "receipt")]);
    expect(index.search("invoice", 5)).toEqual([]);
    expect(index.search("filler", 5)).toHaveLength(1);
  });

  test("a tool that repeats a word a thousand times does not outrank the tool it is about", () => {
    const index = createToolIndex([
      { ...entry("stuffed", "invoice ".repeat(1_000)), name: "helper" },
      { ...entry("honest", "Create an invoice for a customer"), name: "create_invoice" },
    ]);
    expect(index.search("create an invoice", 1)[0]?.id).toBe("honest");
  });

  test("no input makes it throw", () => {
    const text = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (texts, query) => {
        const index = createToolIndex(texts.map((each, at) => ({ ...entry(`t${at}`, each), name: each })));
        expect(index.search(query, 10).length).toBeLessThanOrEqual(texts.length);
      }),
      { numRuns },
    );
  });
});

const IDS = ["a", "b", "c", "d", "e", "f"];
const WORD = fc.constantFrom(..."get weather file files sendMail GitHub the S3 天气 x".split(" "));
const QUERY = fc
  .array(fc.tuple(WORD, fc.constantFrom(" ", ". ", "_")), { maxLength: 8 })
  .map((pairs) => pairs.flat().join(""));

function entry(id: string, description: string): ToolEntry {
  return { id, name: id, description, parameters: "" };
}
