import { ToolFailure } from "@toolkeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MappedTool } from "./effect-map.ts";
import { effectsOf } from "./effects-of.ts";
import { requirementsOf } from "./requirements-of.ts";

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 2_000);

function tool(target: string, capability = "fs.read"): MappedTool {
  return { mode: "read", effects: [{ capability, target }] };
}

function targets(mapped: MappedTool, args: unknown): readonly string[] {
  return effectsOf(mapped, args).map(({ target }) => target);
}

function refusal(mapped: MappedTool, args: unknown): string {
  try {
    effectsOf(mapped, args);
  } catch (error) {
    if (ToolFailure.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("what a mapped call would do", () => {
  test("is told by its arguments", () => {
    expect(targets(tool("{path}"), { path: "/w/a b.ts" })).toEqual(["/w/a b.ts"]);
    expect(targets(tool("{path}"), { path: "/w//./a/" })).toEqual(["/w/a"]);
    expect(targets(tool("{path}"), { path: "/w/r\u00e9sum\u00e9/[id].tsx" })).toEqual([
      "/w/r\u00e9sum\u00e9/[id].tsx",
    ]);
    expect(targets(tool("{path:path}", "git.read"), { path: "/w//./a/" })).toEqual(["/w/a"]);
    expect(targets(tool("{path}/**"), { path: "/" })).toEqual(["/**"]);
    expect(targets(tool("{paths[]}"), { paths: ["/a", "/b"] })).toEqual(["/a", "/b"]);
    expect(targets(tool("{edits[].path}"), { edits: [{ path: "/a" }, { path: "/b" }] })).toEqual([
      "/a",
      "/b",
    ]);
    expect(targets(tool("{files[] in root}"), { root: "/w", files: [".", "src/a", "/x/y"] })).toEqual([
      "/w",
      "/w/src/a",
      "/x/y",
    ]);
    expect(
      targets(tool("{slug:owner}/{slug:repo}", "github.read"), { owner: "Acme", repo: "App.js" }),
    ).toEqual(["acme/app.js"]);
    expect(targets(tool("{host:url}", "net.fetch"), { url: "HTTPS://Docs.Example.com:8443/a?b#c" })).toEqual([
      "docs.example.com",
    ]);
    expect(targets(tool("{host:url}", "net.fetch"), { url: "http://0x7f000001/" })).toEqual(["127.0.0.1"]);
  });

  test("counts what is missing as the map says", () => {
    expect(targets(tool("{path?/srv}"), {})).toEqual(["/srv"]);
    expect(targets(tool("{path?/srv}"), { path: null })).toEqual(["/srv"]);
    const uploads: MappedTool = {
      mode: "external",
      effects: [
        { capability: "browser.act", target: "*" },
        { capability: "fs.read", target: "{paths[]?}" },
      ],
    };
    expect(targets(uploads, {})).toEqual(["*"]);
    expect(targets(uploads, { paths: ["/w/a"] })).toEqual(["*", "/w/a"]);
  });

  test.each([
    ["{path}", {}],
    ["{path}", { path: "" }],
    ["{path}", { path: 7 }],
    ["{path}", { path: ["/w/a"] }],
    ["{path}", { path: "a.ts" }],
    ["{path}", { path: "./a.ts" }],
    ["{path}", { path: "~/.ssh/id_rsa" }],
    ["{path}", { path: "~root/x" }],
    ["{path}", { path: "file:///etc/passwd" }],
    ["{path}", { path: "C:\\Users\\a" }],
    ["{path}", { path: "/w/../etc/passwd" }],
    ["{path}", { path: "/w/link/.." }],
    ["{path}", { path: "/w/*.ts" }],
    ["{path}", { path: "/w/{a,b}" }],
    ["{path}", { path: "/w/a\\..\\b" }],
    ["{path}", { path: "/w/a\u0000b" }],
    ["{path}", { path: "/w/a\nb" }],
    ["{path}", { path: "/w/\ud800" }],
    ["{path}", { path: `/${"a".repeat(5_000)}` }],
    ["{path}", { path: "/w/PRIVATE_\u212AEYS/a.txt" }],
    ["{path}", { path: "/w/a\u037Eb" }],
    ["{path}", { path: "/w/re\u0301sume\u0301" }],
    ["{path in root}", { root: "/w", path: "re\u0301sume\u0301" }],
    ["{path in root}", { root: "/\u212A", path: "a" }],
    ["{paths[]}", { paths: [] }],
    ["{paths[]}", { paths: "/w/a" }],
    ["{paths[]}", { paths: ["/w/a", 7] }],
    ["{paths[]}", { paths: ["/w/a", null] }],
    ["{paths[]}", { paths: Array.from({ length: 1_001 }, () => "/w/a") }],
    ["{edits[].path}", { edits: [{ path: "/a" }, {}] }],
    ["{files[] in root}", { root: "/w", files: ["../../../.kube/config"] }],
    ["{files[] in root}", { root: "/w", files: ["~/.ssh/id_rsa"] }],
    ["{files[] in root}", { root: "/w", files: [":(top)secret"] }],
    ["{files[] in root}", { root: "/w", files: [":/"] }],
    ["{files[] in root}", { root: "/w", files: [":!a"] }],
    ["{files[] in root}", { root: "/w", files: ["[.]env"] }],
    ["{files[] in root}", { root: "/w", files: ["/w/[.]env"] }],
    ["{files[] in root}", { root: "w", files: ["a"] }],
    ["{files[] in root}", { files: ["/w/a"] }],
    ["{files[] in root}", { root: "/w", files: ["--output=x"] }],
  ])("cannot be told from %j with %j, and so it fails", (target, args) => {
    expect(refusal(tool(target), args)).toMatch(/^invalid_arguments: the effects of the call are unknown/);
  });

  test.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "example.com",
    "http:example.com",
    "https:///example.com",
    "https://user@evil.test/",
    "https://@evil.test/",
    "https://good.test\\@evil.test/",
    "https://good.test/ x",
    "https://good.test\t.evil.test/",
    "",
  ])("has no host in %j", (url) => {
    expect(refusal(tool("{host:url}", "net.fetch"), { url })).toMatch(/^invalid_arguments/);
  });

  test.each(["a/b", "..", ".", "../x", "a b", "-x", "a\u200bb", "аcme", "a%2fb", ""])(
    "has no plain name in %j",
    (owner) => {
      expect(refusal(tool("{slug:owner}/x", "github.read"), { owner })).toMatch(/^invalid_arguments/);
    },
  );

  test("does not begin with what programs take for an option", () => {
    const mapped: MappedTool = {
      ...tool("{repo}"),
      checks: { target: "word", "more[]": "word", out: "name", at: "path", plain: "literal" },
    };
    expect(refusal(mapped, { repo: "/w", target: "main" })).toBe("none");
    expect(refusal(mapped, { repo: "/w", out: "a.png", at: "/w/a" })).toBe("none");
    for (const bad of [
      { target: "--output=PWNED" },
      { target: " --output=x" },
      { target: 7 },
      { more: ["a", "-x"] },
      { out: "../a" },
      { out: "/a" },
      { at: "a" },
      { plain: "/w/$HOME" },
      { plain: "-x" },
    ])
      expect(refusal(mapped, { repo: "/w", ...bad }), JSON.stringify(bad)).toMatch(/^invalid_arguments/);
  });

  test("is evaluated by something that needs permission", () => {
    const implied: MappedTool = {
      mode: "read",
      effects: [{ capability: "net.fetch", target: "{host:url}", implied: true }],
    };
    expect(refusal(implied, { url: "https://a.test/" })).toMatch(/^effects_failed/);
    expect(refusal(tool("{paths[]?}"), {})).toMatch(/^effects_failed/);
    expect(effectsOf({ mode: "read", effects: [] }, {})).toEqual([]);
  });

  test("never repeats what an argument held", () => {
    expect(refusal(tool("{path}"), { path: "sk-secret-value" })).not.toContain("sk-secret");
  });

  test("is an absolute path that leads nowhere else, or a failure, whatever the arguments are", () => {
    const piece = fc.constantFrom(..."/ .. . ~ a w * { } \\ - é // ?".split(" "), " ", "\u0000");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 16 }),
        fc.constantFrom("{path}", "{path in root}"),
        (pieces, target) => {
          const args = { path: pieces.join(""), root: "/w" };
          if (refusal(tool(target), args) !== "none") return;
          const [first = ""] = targets(tool(target), args);
          expect(first).toMatch(/^\/[^*?{}\\]*$/);
          expect(
            first
              .split("/")
              .slice(1)
              .every((part) => part !== ".." && part !== "." && (part !== "" || first === "/")),
          ).toBe(true);
        },
      ),
      { numRuns: runs },
    );
  });

  test("takes time in proportion to the arguments", () => {
    const pathsOf = (length: number) =>
      Array.from({ length }, (_, index) => `/w/${"a/".repeat(500)}${index}`);
    const time = (paths: readonly string[]) => {
      const start = performance.now();
      effectsOf(tool("{paths[]}"), { paths });
      return performance.now() - start;
    };
    const [few, many] = [pathsOf(100), pathsOf(1_000)];
    // The best of several pairs: others use the machine as well.
    const ratios = Array.from({ length: 20 }, () => time(many) / Math.max(time(few), 0.5));
    // Ten times as much; by squares it would be a hundred.
    expect(Math.min(...ratios)).toBeLessThan(40);
  });
});

describe("what a mapped tool may need", () => {
  test("is what its map names, in the workspace and where its settings say", () => {
    const mapped: MappedTool = {
      mode: "destructive",
      effects: [
        { capability: "fs.read", target: "{a}" },
        { capability: "fs.delete", target: "{a}" },
        { capability: "net.fetch", target: "{host:b}" },
        { capability: "git.add", target: "*" },
      ],
    };
    const directories = ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**", "/srv/**"];
    expect(requirementsOf(mapped, ["/srv/**"])).toEqual({
      fs: { read: directories, write: directories },
      net: { hosts: ["*"] },
      capabilities: ["git.add"],
    });
    expect(requirementsOf(tool("*", "memory.read"))).toEqual({ capabilities: ["memory.read"] });
    expect(requirementsOf({ mode: "read", effects: [] })).toEqual({});
  });
});
