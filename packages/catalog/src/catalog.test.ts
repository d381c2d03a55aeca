import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compiledCatalog, compiledSchema } from "../../../scripts/catalog/compiled-catalog.ts";
import { entryOf, programNames, readCommand } from "./catalog.ts";
import { checkEntryText } from "./check-entry.ts";
import type { ProgramEntry } from "./entry.ts";

const PACKAGE = join(import.meta.dirname, "..");
const FILES = globSync("*.json", { cwd: join(PACKAGE, "programs") }).toSorted();

describe("the entries", () => {
  it.each(FILES)("%s is valid, and its examples hold", (file) => {
    expect(checkEntryText(readFileSync(join(PACKAGE, "programs", file), "utf8"), file).errors).toEqual([]);
  });

  it.each(["packages/catalog/README.md", "CONTRIBUTING.md"])("%s shows one that is valid", (page) => {
    const text = readFileSync(join(PACKAGE, "../..", page), "utf8");
    const [, shown = ""] = /```json\n(\{\n[^`]*)```/.exec(text) ?? [];
    expect(checkEntryText(shown).errors).toEqual([]);
  });

  it("are compiled as they are", () => {
    const compiled = (name: string) => readFileSync(join(PACKAGE, "src", name), "utf8");
    expect(compiled("compiled.json")).toBe(compiledCatalog(join(PACKAGE, "programs")));
    expect(compiled("compiled-schema.json")).toBe(compiledSchema(join(PACKAGE, "program.schema.json")));
  });

  it("are found by their names, and not by a path outside of the system's folders", () => {
    expect(programNames().every((name) => entryOf(name)?.program === name)).toBe(true);
    expect(readCommand(["/usr/bin/kubectl", "get", "pods"])?.program).toBe("kubectl");
    for (const path of ["./kubectl", "mkfs.d/run", "/tmp/kubectl"])
      expect(readCommand([path, "get", "pods"])).toBeUndefined();
  });
});

const entry = (about: Partial<ProgramEntry>): ProgramEntry => ({
  ...{ program: "shopctl", source: [], otherwise: "cloud.write", examples: [] },
  ...about,
});

const LISTS = entry({ commands: { list: { does: "cloud.read", operands: "none" } } });

const first = (one: ProgramEntry) => [{ entry: one, rank: "first" as const }];
const last = (one: ProgramEntry) => [{ entry: one, rank: "last" as const }];
const narrowing = (one: ProgramEntry) => [{ entry: one, rank: "narrowing" as const }];

describe("entries that others add", () => {
  it("make a program known that ours lack", () => {
    expect(readCommand(["shopctl", "list"])).toBeUndefined();
    for (const added of [first(LISTS), last(LISTS)])
      expect(readCommand(["shopctl", "list"], {}, added)).toMatchObject({
        does: ["cloud.read"],
        isWhole: true,
      });
  });

  it("stand instead of ours by name, and after ours by a pattern", () => {
    const drains = { "drain-all": { does: "k8s.delete", operands: "none" } };
    const argv = ["kubectl", "drain-all"];
    const named = entry({ program: "kubectl", otherwise: "k8s.write", commands: drains });
    expect(readCommand(argv, {}, first(named))).toMatchObject({ does: ["k8s.delete"], isWhole: true });
    const any = entry({ program: "any", aliases: "*", commands: drains });
    expect(readCommand(argv, {}, first(any))?.program).toBe("kubectl");
    expect(readCommand(["other", "drain-all"], {}, first(any))?.program).toBe("any");
  });

  it.each([narrowing, last])("narrow: what both say counts, and only what both know is known", (ranked) => {
    const narrow = entry({
      program: "kubectl",
      commands: { get: { does: "secret.read", operands: "text" } },
    });
    const read = (...argv: string[]) => readCommand(["kubectl", ...argv], {}, ranked(narrow));
    expect(read("get", "pods")).toMatchObject({ does: ["k8s.read", "secret.read"], isWhole: true });
    expect(read("delete", "pod", "x")).toMatchObject({ does: ["k8s.delete", "cloud.write"], isWhole: false });
  });

  it("narrow one that stands instead of ours", () => {
    const narrow = entry({ commands: { list: { does: "secret.read", operands: "none" } } });
    const { does } = readCommand(["shopctl", "list"], {}, [...first(LISTS), ...narrowing(narrow)]) ?? {};
    expect(does).toEqual(["cloud.read", "secret.read"]);
  });

  it("narrow nothing into being known", () => {
    expect(readCommand(["shopctl", "list"], {}, narrowing(LISTS))).toBeUndefined();
  });

  it("count for a command that another one runs", () => {
    const argv = ["kubectl", "exec", "pod", "--", "shopctl", "list"];
    expect(readCommand(argv)?.does).toContain("code.run");
    expect(readCommand(argv, {}, first(LISTS))?.does).not.toContain("code.run");
  });
});
