import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/hooks/hook-call.ts";
import { omittedFileReason } from "../../packages/cli/src/hooks/omitted-file.ts";
import { searchedPart } from "../../packages/cli/src/hooks/own-tools.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, ownTool, verdict } from "./hook-bench.ts";
import type { Payload } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  bench.write("src/a.ts", "x");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

interface Search {
  readonly client: HookClientName;
  readonly tool: string;
  input(folder?: string): Payload;
  /** Whether it shows the names of one folder only. */
  readonly isList?: true;
}

const at =
  (name: string, more: Payload = {}) =>
  (folder?: string) => ({
    ...more,
    ...(folder === undefined ? {} : { [name]: folder }),
  });

const SEARCHES: readonly Search[] = [
  { client: "claude-code", tool: "Glob", input: at("path", { pattern: "**/*.ts" }) },
  { client: "claude-code", tool: "Grep", input: at("path", { pattern: "TODO", output_mode: "content" }) },
  { client: "claude-code", tool: "LS", input: at("path"), isList: true },
  { client: "cursor", tool: "Glob", input: at("target_directory", { glob_pattern: "**/*.ts" }) },
  { client: "cursor", tool: "Grep", input: at("path", { pattern: "TODO" }) },
  { client: "cursor", tool: "LS", input: at("target_directory"), isList: true },
  { client: "gemini-cli", tool: "glob", input: at("dir_path", { pattern: "**/*.ts" }) },
  { client: "gemini-cli", tool: "grep_search", input: at("dir_path", { pattern: "TODO" }) },
  { client: "gemini-cli", tool: "list_directory", input: at("dir_path"), isList: true },
];

const decide = (client: HookClientName, tool: string, input: Payload) =>
  verdict(client, ownTool(client, bench, { tool, input }), bench);

/** Cursor cannot ask here. */
const asking = (client: HookClientName) => (client === "cursor" ? "deny" : "ask");

describe.each(SEARCHES)("$client: $tool", ({ client, tool, input, isList }) => {
  test("is allowed in a tree without protected files", async () => {
    expect((await decide(client, tool, input())).action).toBe("allow");
    expect((await decide(client, tool, input(join(bench.project, "src")))).action).toBe("allow");
  });

  test("asks if it would read a protected file, and names the file", async () => {
    const folder = isList === true ? "src" : "src/deep/down";
    bench.write(`${folder}/.netrc`, "secret");
    const answer = await decide(client, tool, input(join(bench.project, "src")));
    expect(answer.action).toBe(asking(client));
    expect(answer.text).toContain(`${folder}/.netrc`);
  });

  test("asks outside of the project, and is denied in a protected tree", async () => {
    expect((await decide(client, tool, input(bench.home))).action).toBe(asking(client));
    expect((await decide(client, tool, input(join(bench.home, ".ssh")))).action).toBe("deny");
  });
});

test("a list is allowed if the protected files are in subfolders", async () => {
  bench.write("src/deep/.netrc", "secret");
  expect((await decide("claude-code", "LS", { path: join(bench.project, "src") })).action).toBe("allow");
});

test("links are not followed", async () => {
  mkdirSync(join(bench.home, "other"));
  writeFileSync(join(bench.home, "other/.netrc"), "secret");
  symlinkSync(join(bench.home, "other"), join(bench.project, "src/link"));
  expect((await decide("claude-code", "Grep", { pattern: "x", path: "src" })).action).toBe("allow");
});

test("a tree that is too large to check asks", async () => {
  for (const name of ["a", "b", "c"]) bench.write(`src/deep/${name}.ts`, "x");
  const effects = [{ capability: "fs.read", target: `${bench.project}/src/**`, partial: true as const }];
  const grant = { toolName: "grep", effects, leavesOut: () => false };
  expect(await omittedFileReason([grant], 4)).toContain("too many");
  expect(await omittedFileReason([grant], 5)).toBeUndefined();
  expect(await omittedFileReason([{ ...grant, toolName: "list" }], 2)).toBeUndefined();
});

describe("the pattern of a search decides where it reads", () => {
  test.each([
    "/etc/**",
    "/**/*.conf",
    "../../**",
    "~/**",
    "{/etc,src}/**",
    "src/*/../../../**",
    "@(/etc|src)/*",
  ])("%s leads out of the project", async (pattern) => {
    expect((await decide("claude-code", "Glob", { pattern })).action).toBe("ask");
    expect((await decide("gemini-cli", "glob", { pattern })).action).toBe("ask");
    expect((await decide("cursor", "Glob", { glob_pattern: pattern })).action).toBe("deny");
  });

  test("a pattern that cannot match a protected file is allowed", async () => {
    bench.write(".netrc", "secret");
    expect((await decide("claude-code", "Glob", { pattern: "src/**/*.ts" })).action).toBe("allow");
    expect((await decide("claude-code", "Glob", { pattern: "**/*.ts" })).action).toBe("ask");
  });

  test("a filter that names a secret file reads it", async () => {
    const grep = (glob: string) => decide("claude-code", "Grep", { pattern: "x", glob });
    for (const glob of [".env", ".e*", "*.pem", "**/.env.local"])
      expect((await grep(glob)).action).toBe("ask");
    expect((await grep(".netrc")).action).toBe("deny");
    for (const glob of ["*.ts", "**/*.{json,md}", "*"]) expect((await grep(glob)).action).toBe("allow");
  });

  test("each pattern of a list decides where it reads", async () => {
    const many = (...include: readonly string[]) => decide("gemini-cli", "read_many_files", { include });
    expect((await many("src/**/*.ts", "docs/*.md")).action).toBe("allow");
    expect((await many("src/**/*.ts", "/etc/*")).action).toBe("ask");
    expect((await many("src/a.ts", ".env")).action).toBe("ask");
  });
});

test.each([
  ["src/**/*.ts", "src"],
  ["**/*", ""],
  ["/etc/*", "/etc"],
  ["/*/x", "/"],
  ["../x/*", "../x"],
  ["src/a.ts", "src/a.ts"],
  ["a/{b,../../c}/*", undefined],
  ["*/../..", undefined],
])("all matches of %s are in %s", (pattern, part) => {
  expect(searchedPart(pattern)).toBe(part);
});
