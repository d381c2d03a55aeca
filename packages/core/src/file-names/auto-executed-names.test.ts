import { describe, expect, test } from "vitest";
import { AUTO_EXECUTED, isProtectedName } from "./name-class.ts";

/** A file that the row is about. */
function sampleOf(name: string): string {
  const file = name.endsWith("/") ? `${name}x` : name;
  return file.replaceAll("*", "team");
}

describe("every auto-executed name", () => {
  test.each(AUTO_EXECUTED.map(({ name, by }) => [name, by] as const))("%s (%s) is protected", (name) => {
    const sample = sampleOf(name);
    for (const path of [sample, `/repo/${sample}`, `/repo/a/b/${sample}`, `/repo/${sample.toUpperCase()}`])
      expect(isProtectedName(path), path).toBe(true);
  });

  test("is listed once, with the program, what it executes, and where this is documented", () => {
    const names = AUTO_EXECUTED.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names.filter((name) => name !== name.toLowerCase() || name === "")).toEqual([]);
    expect(AUTO_EXECUTED.filter(({ by, runs, source }) => by === "" || runs === "" || source === "")).toEqual(
      [],
    );
  });
});

/** Executed too, but by a user who means to: what stands in them is to be read before it is run. */
const ORDINARY = [
  ...[
    "package.json",
    "Makefile",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
  ],
  ...["AGENTS.md", "CLAUDE.md", ".python-version", ".nvmrc", ".node-version", ".ruby-version", "Dockerfile"],
  ...["turbo.json", "conftest.py", "eslint.config.js", ".prettierrc", "tsconfig.json"],
  ...["build.gradle", "gradlew", "CMakeLists.txt", "flake.nix", "Gemfile", "Vagrantfile", "compose.yaml"],
  ...[".direnv/python-3.12/bin/python", "src/mise/toml.ts", "docs/ansible.md", "src/crush.ts", "mise.lock"],
];

test.each(ORDINARY)("%s is ordinary", (name) => {
  expect(isProtectedName(`/repo/${name}`)).toBe(false);
});
