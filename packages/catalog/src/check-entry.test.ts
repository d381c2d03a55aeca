import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checkEntry, checkEntryText } from "./check-entry.ts";

const PACKAGE = join(import.meta.dirname, "..");
const jsonIn = (path: string): unknown => JSON.parse(readFileSync(join(PACKAGE, path), "utf8"));

const ENTRY = {
  program: "shopctl",
  aliases: "shop",
  source: ["shopctl --help (2.1)"],
  otherwise: "cloud.write",
  options: { plain: "-v --verbose" },
  commands: { list: { does: "cloud.read", operands: "none" }, "orders delete": "cloud.delete" },
  examples: [
    ["shopctl list -v", "cloud.read"],
    ["shop orders delete 7", "cloud.delete cloud.write ?"],
    ["shopctl --frob", "cloud.write ?"],
  ],
};

const messages = (value: unknown) => checkEntry(value).errors.map(({ at, message }) => `${at}: ${message}`);

describe("checking an entry", () => {
  it("gives back one that is right", () => {
    expect(checkEntryText(JSON.stringify(ENTRY))).toEqual({ entry: ENTRY, errors: [] });
  });

  it.each([
    ["a field that there is not", { opitons: {} }, "opitons: There is no such field."],
    ["a missing source", { source: undefined }, ": `source` is missing."],
    ["too few examples", { examples: ENTRY.examples.slice(1) }, "examples: It must have at least 3."],
    [
      "a capability that there is not",
      { commands: { list: { does: "cloud.raed" } } },
      "commands.list.does: There is no capability `cloud.raed`.",
    ],
    [
      "one that an option adds",
      { options: { adds: { "--x": "net.red" } } },
      "options.adds.--x: There is no capability `net.red`.",
    ],
    [
      "an option that an example has and the entry has not",
      { options: { plain: "--verbose" } },
      "examples[0]: `shopctl list -v` does `cloud.read cloud.write ?`, and not `cloud.read`. Not known: `-v`.",
    ],
    [
      "an example of another program",
      { aliases: "shops" },
      "examples[1]: `shop orders delete 7` is not a command of shopctl.",
    ],
  ])("names %s", (_, change, message) => {
    expect(messages(JSON.parse(JSON.stringify({ ...ENTRY, ...change })))).toEqual([message]);
  });

  it("says of a text that it is no JSON", () => {
    expect(checkEntryText("{").errors[0]?.message).toMatch(/^It cannot be read: /);
  });

  it("refuses subcommands that would take too long to read", () => {
    const words = Array.from({ length: 9 }, () => "a|b|c|d|e|f|g|h|i").join(" ");
    const commands = { [words]: "cloud.read" };
    expect(messages({ ...ENTRY, commands })).toEqual(["commands: There are more than 10000."]);
  });

  it("finds the errors that a complete validator of the schema finds", () => {
    const isEntry = new Ajv2020({ strict: false }).compile(jsonIn("program.schema.json") as object);
    const entries = globSync("programs/*.json", { cwd: PACKAGE }).map(jsonIn);
    const values = [ENTRY, ...entries].flatMap(mutations);
    for (const value of values)
      if (!isEntry(value)) expect(checkEntry(value).errors, JSON.stringify(isEntry.errors)).not.toEqual([]);
    expect(values.some((value) => !isEntry(value))).toBe(true);
  });
});

/** The value with each part of it, down to the third level, replaced or gone, or with another one next to it. */
function mutations(value: unknown, depth = 0): readonly unknown[] {
  if (depth > 2 || typeof value !== "object" || value === null) return [0, "", " ", [], {}, null];
  const fields = Object.entries(value).flatMap(([name, inner]) => [
    ...mutations(inner, depth + 1).map((other) => withField(value, name, other)),
    withField(value, name, undefined),
  ]);
  return [...fields, withField(value, "other", "x")];
}

function withField(value: object, name: string, inner: unknown): unknown {
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === name ? (inner ?? 0) : one));
  return JSON.parse(JSON.stringify({ ...value, [name]: inner }));
}
