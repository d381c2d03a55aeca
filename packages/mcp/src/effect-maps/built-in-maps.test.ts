import { describe, expect, test } from "vitest";
import { loadBuiltInMaps } from "./built-in-maps.ts";
import type { EffectMap, MappedTool } from "./effect-map.ts";
import { effectsOf } from "./effects-of.ts";
import { readArgumentPath, readTarget } from "./mapped-target.ts";
import { unknownArguments } from "./unknown-arguments.ts";

const builtIn = await loadBuiltInMaps();
const MAPS = builtIn.names.map((name) => mapNamed(name));
const FILESYSTEM_MAP = mapNamed("filesystem");
const GIT_MAP = mapNamed("git");
const GITHUB_MAP = mapNamed("github");
const PLAYWRIGHT_MAP = mapNamed("playwright");

function mapNamed(name: string): EffectMap {
  return builtIn.named(name) as EffectMap;
}

describe("maps that are built in", () => {
  test("make a call opaque whose arguments they do not know, and name those", () => {
    const look = PLAYWRIGHT_MAP.tools["browser_snapshot"] as MappedTool;
    expect(unknownArguments(look, { depth: 2, boxes: true })).toEqual([]);
    expect(unknownArguments(look, { depth: 2, outputPath: "/etc/x" })).toEqual(["outputPath"]);
    const edit = FILESYSTEM_MAP.tools["edit_file"] as MappedTool;
    const edits = [{ oldText: "a", newText: "b" }];
    expect(unknownArguments(edit, { path: "/w/a", edits })).toEqual([]);
    expect(unknownArguments(edit, { path: "/w/a", edits: [{ ...edits[0], file: "/w/b" }] })).toEqual([
      "edits[].file",
    ]);
  });

  test("take a file name for a write to that file", () => {
    const effectsFor = (args: unknown) =>
      effectsOf(PLAYWRIGHT_MAP.tools["browser_network_request"] as MappedTool, args);
    expect(effectsFor({ index: 2 })).toEqual([{ capability: "browser.read", target: "*" }]);
    expect(effectsFor({ index: 2, filename: "/w/.envrc" })).toContainEqual({
      ...{ capability: "fs.write", target: "/w/.envrc" },
    });
    expect(() => effectsFor({ index: 2, filename: "../.envrc" })).toThrow("not an absolute path");
  });

  test("let no argument of GitHub lead to another repository than the one that is named", () => {
    const effectsFor = (tool: string, args: object) =>
      effectsOf(GITHUB_MAP.tools[tool] as MappedTool, { owner: "My-Org", repo: "public", ...args });
    const own = { capability: "github.write", target: "my-org/public" };
    for (const [tool, argument] of [
      ["get_repository_tree", "tree_sha"],
      ["get_release_by_tag", "tag"],
      ["get_file_contents", "path"],
      ["create_or_update_file", "path"],
      ["run_workflow", "workflow_id"],
      ["get_commit", "sha"],
    ] as const) {
      for (const up of [
        ...[
          "../../x/y",
          "a/%2e%2E/b",
          "..%2fx",
          "a\\..\\b",
          "x/%252e%252e/y",
          "..",
          "..;/x",
          "a/..%00/b",
          "..&x",
        ],
        ...["a/．．/b", "‥/x", "a∕..∕b", "a/.\u200b./b", "%c0%ae%c0%ae/x", "..%c0%afx", "%u002e%u002e/x"],
      ])
        expect(() => effectsFor(tool, { [argument]: up }), `${tool} ${up}`).toThrow("goes up");
      for (const plain of ["main", "v1..2", "docs/a.b/c", "", 7])
        expect(() => effectsFor(tool, { [argument]: plain }), `${tool} ${plain}`).not.toThrow();
    }
    expect(() => effectsFor("push_files", { files: [{ path: "a" }, { path: "../b" }] })).toThrow("goes up");
    const anywhere = { capability: "github.write", target: "*" };
    expect(effectsFor("sub_issue_write", { sub_issue_id: 12 })).toEqual([own, anywhere]);
    expect(effectsFor("pull_request_review_write", { threadId: "PRRT_x" })).toEqual([own, anywhere]);
    expect(effectsFor("pull_request_review_write", { method: "create", body: ".." })).toEqual([own]);
  });

  test("are written as maps must be, and have names of their own", () => {
    expect(new Set(MAPS.map(({ name }) => name)).size).toBe(MAPS.length);
    for (const map of MAPS) {
      for (const [tool, { effects, checks = {} }] of Object.entries(map.tools)) {
        for (const { target } of effects) expect(() => readTarget(target), tool).not.toThrow();
        for (const path of Object.keys(checks)) expect(() => readArgumentPath(path), tool).not.toThrow();
        if (effects.length > 0)
          expect(
            effects.some(({ implied }) => implied !== true),
            tool,
          ).toBe(true);
        if (effects.some(({ capability }) => capability.startsWith("fs.")))
          expect(
            map.packages.some((name) => name.startsWith("image:")),
            map.name,
          ).toBe(false);
      }
    }
  });

  test("take git's words for words, and its files for files", () => {
    const effectsFor = (tool: string, args: unknown) => effectsOf(GIT_MAP.tools[tool] as never, args);
    expect(effectsFor("git_add", { repo_path: "/w", files: ["src/a.ts"] })).toEqual([
      { capability: "fs.read", target: "/w" },
      { capability: "git.read", target: "/w" },
      { capability: "fs.read", target: "/w/src/a.ts" },
      { capability: "fs.read", target: "/w/src/a.ts/**", implied: true, entriesOf: "/w/src/a.ts" },
      { capability: "git.add", target: "/w" },
    ]);
    expect(() => effectsFor("git_add", { repo_path: "/w", files: ["../../../.kube/config"] })).toThrow(
      "goes up",
    );
    expect(() => effectsFor("git_init", { repo_path: "~/.ssh" })).toThrow("not an absolute path");
    expect(() => effectsFor("git_diff", { repo_path: "/w", target: "--output=PWNED" })).toThrow("an option");
    expect(() => effectsFor("git_add", { repo_path: "/w", files: ["[.]env"] })).toThrow("wildcard");
    expect(effectsFor("git_log", { repo_path: "/w-evil/" })).toEqual([
      { capability: "fs.read", target: "/w-evil" },
      { capability: "git.read", target: "/w-evil" },
    ]);
  });

  test("let no tool of git use a repository without permission, nor by a variable in its path", () => {
    for (const [tool, mapped] of Object.entries(GIT_MAP.tools)) {
      const names = mapped.effects
        .filter(({ target, implied }) => target === "{path:repo_path}" && implied !== true)
        .map(({ capability }) => capability);
      expect(names, tool).toContain(tool === "git_init" ? "git.init" : "git.read");
      const args = { repo_path: "/w/$USER", files: ["a"], branch_name: "a" };
      expect(() => effectsOf(mapped, args), tool).toThrow("contains a $");
    }
  });
});
