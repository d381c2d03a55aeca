import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { capabilityNamed } from "./capabilities.ts";
import { readCommand } from "./catalog.ts";
import type { ProgramEntry } from "./entry.ts";
import { wordsOf } from "./example-words.test.kit.ts";

const FOLDER = join(import.meta.dirname, "../programs");
const ENTRIES = globSync("*.json", { cwd: FOLDER })
  .toSorted()
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as ProgramEntry);

const SCHEMA = JSON.parse(readFileSync(join(FOLDER, "../program.schema.json"), "utf8")) as object;
const isEntry = new Ajv2020().compile(SCHEMA);

describe.each(ENTRIES)("$program", (entry) => {
  it("is as the schema says, with a source and examples", () => {
    expect(isEntry(entry) ? [] : isEntry.errors).toEqual([]);
  });

  it.each(entry.examples)("%s", (line, expected) => {
    const reading = readCommand(wordsOf(line));
    const said = [...(reading?.does ?? []), ...(reading?.isWhole === true ? [] : ["?"])];
    expect(said.join(" ") || "nothing").toBe(expected);
  });

  it("names capabilities that are known", () => {
    const named = JSON.stringify(entry).matchAll(/"(?:does|otherwise)":"([^"]*)"/g);
    for (const [, does = ""] of named)
      for (const name of does.split(" ")) expect(name === "nothing" || capabilityNamed(name)).toBeTruthy();
  });
});
