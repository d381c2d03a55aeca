import { ToolkeepError } from "@toolkeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { each, readArgumentPath, readTarget } from "./mapped-target.ts";

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 2_000);

describe("targets of effect maps", () => {
  test("are texts with arguments between them", () => {
    expect(readTarget("*")).toEqual(["*"]);
    expect(readTarget("{path}/**")).toMatchObject([{ path: ["path"], reading: "text" }, "/**"]);
    expect(readTarget("{slug:owner}/{slug:repo}")).toMatchObject([
      { path: ["owner"], reading: "slug" },
      "/",
      { path: ["repo"], reading: "slug" },
    ]);
    expect(readTarget("{edits[].path}")).toMatchObject([{ path: ["edits", each, "path"] }]);
    expect(readTarget("{host:url?}")).toMatchObject([{ path: ["url"], reading: "host", otherwise: "" }]);
    expect(readTarget("{path?/srv}")).toMatchObject([{ path: ["path"], otherwise: "/srv" }]);
    expect(readTarget("{files[] in root.path}")).toMatchObject([
      { path: ["files", each], within: ["root", "path"] },
    ]);
  });

  test.each([
    ["", "nothing"],
    ["{path", "not closed"],
    ["path}", "not opened"],
    ["{a{b}}", "one within another"],
    ["{}", "no name"],
    ["{a b}", "a blank in a name"],
    ["{a..b}", "an empty step"],
    ["{[]}", "a list without a name"],
    ["{a[]}{b[]}", "two lists"],
    ["{a[].b[]}", "a list within a list"],
    ["{__proto__}", "what every object has"],
    ["{a.constructor}", "what every object has"],
    ["{file:a}", "an unknown reading"],
    ["{a in b in c}", "two folders"],
    ["{a in b[]}", "many folders"],
    ["x".repeat(501), "too long"],
  ])("refuse %j: %s", (target) => {
    expect(() => readTarget(target)).toThrow(ToolkeepError);
  });

  test("come back to what was written, or are refused, whatever is written", () => {
    const piece = fc.constantFrom(..."{ } a path [] . ? : host / ** - é __proto__".split(" "), " in ");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join("")),
        (target) => {
          let parts: ReturnType<typeof readTarget>;
          try {
            parts = readTarget(target);
          } catch (error) {
            expect(ToolkeepError.isInstance(error)).toBe(true);
            return;
          }
          const written = parts
            .map((part) => (typeof part === "string" ? part : `{${part.source}}`))
            .join("");
          expect(written).toBe(target);
          for (const part of parts) {
            if (typeof part === "string") expect(part).not.toMatch(/[{}]/);
            else
              expect(
                part.path
                  .filter((step) => step !== each)
                  .every((step) => /^[A-Za-z_][\w-]*$/.test(String(step))),
              ).toBe(true);
          }
        },
      ),
      { numRuns: runs },
    );
  });

  test("are kept no longer than there is room", () => {
    for (let index = 0; index < 5_000; index += 1) readTarget(`{a${index}}`);
    expect(readTarget("{a1}")).toBe(readTarget("{a1}"));
  });

  test("name arguments as `checks` do", () => {
    expect(readArgumentPath("files[].path")).toEqual(["files", each, "path"]);
    expect(() => readArgumentPath("a?")).toThrow(ToolkeepError);
  });
});
