import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expression, expressionsIn, listIn, rowsByName, wordsIn } from "./table-rows.ts";

describe("the rows of a table", () => {
  it("list words in one line or in several", () => {
    expect(listIn("sh bash")).toEqual(["sh", "bash"]);
    expect(wordsIn(["sh bash", "zsh"])).toEqual(new Set(["sh", "bash", "zsh"]));
  });

  it("hold expressions as code writes them, with slashes and flags", () => {
    expect(expression("/^a/b$/i")).toEqual(/^a\/b$/i);
    expect(expressionsIn({ one: "/a/", other: "/b/s" })).toEqual({ one: /a/, other: /b/s });
  });

  it("count for each of their names", () => {
    expect(rowsByName({ "sh|bash": "-c", "go run": "-x" }, wordsIn)).toEqual({
      sh: new Set(["-c"]),
      bash: new Set(["-c"]),
      "go run": new Set(["-x"]),
    });
  });
});

describe("the tables", () => {
  const folder = join(import.meta.dirname, "tables");

  it.each(globSync("*.json", { cwd: folder }).toSorted())(
    "%s names nothing twice, and its expressions are valid",
    (file) => {
      const check = (value: unknown): void => {
        if (typeof value === "string" && value.startsWith("/")) expect(() => expression(value)).not.toThrow();
        if (typeof value !== "object" || value === null) return;
        const names = Array.isArray(value) ? [] : Object.keys(value).flatMap((key) => key.split("|"));
        expect(new Set(names).size, names.join(" ")).toBe(names.length);
        for (const inner of Object.values(value)) check(inner);
      };
      check(JSON.parse(readFileSync(join(folder, file), "utf8")));
    },
  );
});
