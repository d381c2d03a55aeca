import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject } from "../contained-project.test.kit.ts";
import { installs } from "./want-lines.ts";

let project: ContainedProject;
beforeAll(() => {
  project = containedProject();
  project.write("node_modules/.bin/vite", "");
});
afterAll(() => project.remove());

test.each([
  ["npx frob", true],
  ["npx -y frob@2 2>&1 | tail -3", true],
  ["cd web && CI=1 npm exec -- frob", true],
  ["pnpm dlx frob || true", true],
  ["uvx frob; ls", true],
  ["python3 -m pip install frob | tail", true],
  ["cargo install frob | tail", true],
  ["gem install frob & wait", true],
  ["go install frob.example/x@latest", true],
  ["npx vite build | tail", false],
  ["npm exec -- vite", false],
  ["npm test | tail", false],
  ["npm ls; pip list", false],
])("%s installs a package or runs one that the project lacks: %s", (line, isInstalling) => {
  expect(installs(line, project.project)).toBe(isInstalling);
});

describe.skipIf(!canContain)("a refused registry", () => {
  const asking = "curl -s -m 5 http://registry.npmjs.org/ | tail";
  test.each([
    ["npx frob | tail", ["registry.npmjs.org:80"]],
    ["npx vite build | tail", []],
  ])("after `%s`, which succeeds, is told as %s", async (line, refused) => {
    expect(await project.run(asking, { line })).toMatchObject({ exitCode: 0, outcome: { refused } });
  });
});
