import { describe, expect, test } from "vitest";
import { openApiTools } from "./open-document.ts";
import { SchemaBook } from "./schemas/schema-book.ts";

const HEAD = {
  openapi: "3.1.0",
  info: { title: "x", version: "1" },
  servers: [{ url: "https://api.example.com" }],
};
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const many = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Seconds on the processor: others may be working on the same machine. */
async function seconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1_000_000;
}

/**
 * How many times longer it takes with all of them than with an eighth: eight where the time is linear, and 64 where it
 * grows with the square. What is too much is measured again.
 */
async function growth(most: number, prepared: (count: number) => () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && least >= MOST_GROWTH; attempt += 1) {
    const few = Math.min(await seconds(prepared(most / 8)), await seconds(prepared(most / 8)));
    least = Math.min(least, (await seconds(prepared(most))) / Math.max(few, 0.01));
  }
  return least;
}
const MOST_GROWTH = 30;

describe("a document takes time in proportion to its size", () => {
  test("with twenty thousand keys in one map of YAML", async () => {
    const read = (count: number) => {
      const keys = many(count, (at) => `  k${at}: 1`).join("\n");
      const text = `openapi: 3.1.0\ninfo: {title: x, version: "1"}\nservers: [{url: "https://a.test"}]\npaths: {}\nx-many:\n${keys}\n`;
      return () => openApiTools({ document: { text } });
    };
    expect(await growth(20_000, read)).toBeLessThan(MOST_GROWTH);
  });

  test("with twenty thousand references whose last key is the same", async () => {
    const read = (count: number) => {
      const groups = Object.fromEntries(many(count, (at) => [`g${at}`, { same: { type: "string" } }]));
      const book = new SchemaBook({ groups }, "request");
      const properties = Object.fromEntries(
        many(count, (at) => [`p${at}`, { $ref: `#/groups/g${at}/same` }]),
      );
      return () => book.convert({ properties });
    };
    expect(await growth(20_000, read)).toBeLessThan(MOST_GROWTH);
  });

  test("with eight thousand parameters that would all be called the same", async () => {
    const read = (count: number) => {
      const parameters = many(count, (at) => ({
        name: String.fromCodePoint(0x4e00 + at),
        in: "query",
        schema: {},
      }));
      const paths = { "/x": { get: { operationId: "x", parameters, responses: {} } } };
      return async () => {
        expect((await openApiTools({ document: { ...HEAD, paths } })).tools).toHaveLength(1);
      };
    };
    expect(await growth(8_000, read)).toBeLessThan(MOST_GROWTH);
  });

  test("with a thousand alternatives that are told apart by a thousand names", async () => {
    const read = (count: number) => {
      const schemas = Object.fromEntries(many(count, (at) => [`S${at}`, { type: "object" }]));
      const mapping = Object.fromEntries(many(count, (at) => [`k${at}`, `S${at}`]));
      const oneOf = many(count, (at) => ({ $ref: `#/components/schemas/S${at}` }));
      const book = new SchemaBook({ components: { schemas } }, "request");
      const schema = { oneOf, discriminator: { propertyName: "kind", mapping } };
      return () => book.convert(schema);
    };
    expect(await growth(4_000, read)).toBeLessThan(MOST_GROWTH);
  });
});

describe("a document is given up in parts", () => {
  test("whose operations each reach all of its schemas, once they are too many together", async () => {
    const count = 800;
    const ring = many(count, (at) => [
      `S${at}`,
      { type: "object", properties: { next: { $ref: `#/components/schemas/S${(at + 1) % count}` } } },
    ]);
    const paths = Object.fromEntries(
      many(count, (at) => [
        `/p${at}`,
        {
          post: {
            operationId: `o${at}`,
            requestBody: json({ $ref: `#/components/schemas/S${at}` }),
            responses: {},
          },
        },
      ]),
    );
    const components = { schemas: Object.fromEntries(ring) };
    const { tools, diagnostics } = await openApiTools({ document: { ...HEAD, paths, components } });
    const left = diagnostics.filter(({ message }) => message.includes("exceed the limit"));
    expect(tools.length).toBeGreaterThan(100);
    expect(left.length).toBeGreaterThan(100);
    expect(tools.length + left.length).toBe(count);
  });

  test("that refers to more schemas at once than a call of a function takes arguments", () => {
    const groups = Object.fromEntries(many(150_000, (at) => [`g${at}`, {}]));
    const list = { anyOf: many(150_000, (at) => ({ $ref: `#/groups/g${at}` })) };
    const book = new SchemaBook({ groups, list }, "request");
    const converted = book.convert({ $ref: "#/list" });
    expect(() => book.definitionsOf([converted])).toThrow(/exceed the limit/);
  });
});

describe("patterns", () => {
  const pattern = (at: number) => `^${at}${"(?:.{900}|x)".repeat(4)}$`;

  test("that would be large once they are written out are said and not matched", async () => {
    const schema = { type: "string", pattern: `^${"(?:.{990}|x)".repeat(300)}` };
    const { schema: made } = new SchemaBook({}, "request").convert(schema);
    expect(made).toEqual({ type: "string", description: expect.stringContaining("Must match") });
  });

  test("are matched as long as there is room for them in the document, and said beyond that", () => {
    const book = new SchemaBook({}, "request");
    const made = many(50, (at) => book.convert({ type: "string", pattern: pattern(at) }).schema);
    const matched = made.filter((one) => typeof one === "object" && "pattern" in one);
    expect(matched.length).toBeGreaterThan(3);
    expect(matched.length).toBeLessThan(20);
    expect(made.slice(matched.length)).toEqual(
      many(50 - matched.length, () => ({
        type: "string",
        description: expect.stringContaining("Must match"),
      })),
    );
    expect(book.convert({ pattern: pattern(0) }).schema).toEqual({ pattern: pattern(0) });
  });
});
