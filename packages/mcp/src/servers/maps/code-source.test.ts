// biome-ignore-all lint/suspicious/noTemplateCurlyInString: entries are written like that
import { expect, test } from "vitest";
import { codeSource } from "./code-source.ts";

function source(command: string, ...args: string[]): string {
  return codeSource({ kind: "stdio", name: "x", isOfProject: true, command, args, env: {} });
}

test.each([
  ["setsid", "npx", "-y", "x"],
  ["sudo", "npx", "-y", "x"],
  ["poetry", "run", "x"],
  ["bundle", "exec", "x"],
])("a program that starts others is not named as the only code: %s %s %s", (...words) => {
  expect(source(...(words as [string, ...string[]]))).toMatch(/chooses by these arguments|it is started in/);
});

test.each([
  ["npx", "-c", "node ${workspaceFolder}/x"],
  ["npx", "--prefix", "${CLAUDE_PROJECT_DIR}", "x"],
  ["sh", "-c", "cd ${PWD} && npx x"],
  ["node_modules/.bin/mcp-server-filesystem", "/"],
])("files of the project are named as the code: %s %s %s", (...words) => {
  expect(source(...(words as [string, ...string[]]))).toContain("files next to the configuration");
});

test("a package that is given a variable of the user comes from the registry", () => {
  expect(source("npx", "-y", "x", "--token", "${TOKEN}")).toBe(
    "the npm registry of your settings, package x, any version.",
  );
});
