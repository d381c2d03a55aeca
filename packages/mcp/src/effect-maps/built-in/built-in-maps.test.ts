import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, test } from "vitest";
import { effectsOf } from "../effects-of.ts";
import { readArgumentPath, readTarget } from "../mapped-target.ts";
import { BUILT_IN_MAPS } from "./built-in-maps.ts";
import { FILESYSTEM_MAP } from "./filesystem.ts";
import { GIT_MAP } from "./git.ts";
import { MEMORY_MAP } from "./memory.ts";

const folder = mkdtempSync(join(tmpdir(), "maps-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the installed server says of its tools. */
async function toolsOf(name: string) {
  const at = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const client = new Client({ name: "maps", version: "1.0.0" });
  const env = { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(dirname(at), "dist/index.js"), folder],
      env,
      stderr: "ignore",
    }),
  );
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

describe("maps that are built in", () => {
  test.each([
    ["@modelcontextprotocol/server-filesystem", FILESYSTEM_MAP],
    ["@modelcontextprotocol/server-memory", MEMORY_MAP],
  ])("know every tool of %s, and the arguments that each of them reads", async (name, map) => {
    const tools = await toolsOf(name);
    expect(Object.keys(map.tools).sort()).toEqual(tools.map((tool) => tool.name).sort());
    for (const { name: tool, inputSchema, annotations } of tools) {
      const mapped = map.tools[tool];
      for (const argument of argumentsOf(tool, map))
        expect(Object.keys(inputSchema.properties ?? {})).toContain(argument);
      expect(mapped?.mode === "read", tool).toBe(annotations?.readOnlyHint === true);
    }
  });

  test("are written as maps must be, and have names of their own", () => {
    expect(new Set(BUILT_IN_MAPS.map(({ name }) => name)).size).toBe(BUILT_IN_MAPS.length);
    for (const map of BUILT_IN_MAPS) {
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

function argumentsOf(tool: string, map: (typeof BUILT_IN_MAPS)[number]): readonly string[] {
  return (map.tools[tool]?.effects ?? []).flatMap(({ target }) =>
    readTarget(target).flatMap((part) => (typeof part === "string" ? [] : [String(part.path[0])])),
  );
}
