import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

const MANIFEST = `{
  "name": "shop",
  "scripts": {
    "test": "node --test",
    "pad": "1.0.0",
    "lint": "eslint ."
  },
  "dependencies": {},
  "devDependencies": {
    "pad": "1.0.0",
    "vitest": "^4.0.0"
  }
}
`;

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  vi.spyOn(process, "cwd").mockReturnValue(bench.project);
  bench.write("package.json", MANIFEST);
  bench.write("src/a.ts", "x\n");
  recordInGit();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  bench.remove();
});

function recordInGit(): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: bench.project, stdio: "ignore" });
  git("init", "-q", ".");
  git("add", "-A");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x");
}

async function isLeft(lines: readonly string[], end = "\n"): Promise<boolean> {
  const command = ["*** Begin Patch", ...lines, "*** End Patch"].join(end);
  const payload = withInput(payloadsOf("codex", bench)["patch"] as Payload, { command });
  const text = JSON.stringify({ ...payload, session_id: crypto.randomUUID() });
  const { stdout } = await runHook({ client: "codex", text, environment: {} });
  return JSON.parse(stdout).hookSpecificOutput === undefined;
}

const FILE = "*** Update File: package.json";
const ZOD = ['-  "dependencies": {},', '+  "dependencies": { "zod": "^4.0.0" },'];

describe("a patch of a package.json that leaves its scripts alone is an edit that git can undo", () => {
  test.each([
    ["a new dependency", [FILE, "@@", ...ZOD]],
    ["without a mark of the hunk", [FILE, ...ZOD]],
    ["lines around it", [FILE, "@@", "   },", ...ZOD, '   "devDependencies": {']],
    ["another version", [FILE, "@@", '-    "vitest": "^4.0.0"', '+    "vitest": "^4.1.0"']],
  ])("%s", async (_what, lines) => {
    expect(await isLeft(lines)).toBe(true);
  });
});

describe("a patch of a package.json is refused", () => {
  const script = ['-    "test": "node --test",', '+    "test": "sh evil.sh",'];
  test.each([
    ["that changes a script", [FILE, "@@", ...script]],
    ["that changes a script in a second hunk", [FILE, "@@", ...ZOD, "@@", ...script]],
    ["that changes a script in a hunk before", [FILE, "@@", ...script, "@@", ...ZOD]],
    ["with two hunks, the second of which changes what the first wrote", [FILE, "@@", ...ZOD, "@@", ...ZOD]],
    ["that adds scripts again", [FILE, "@@", ...ZOD, '+  "scripts": { "test": "sh evil.sh" },']],
    [
      "that adds scripts within a line",
      [FILE, "@@", ZOD[0], `${ZOD[1]} "scripts": { "test": "sh evil.sh" },`],
    ],
    ["that adds a file to be loaded by a tool", [FILE, "@@", ...ZOD, '+  "eslintConfig": {},']],
    ["that names a place", [FILE, '@@ "scripts": {', '-    "pad": "1.0.0",', '+    "pad": "2.0.0",']],
    ["whose line is there twice", [FILE, "@@", '-    "pad": "1.0.0",', '+    "pad": "sh evil.sh",']],
    [
      "whose line is only similar",
      [FILE, "@@", '-"dependencies": {},', '+  "dependencies": { "a": "1.0.0" },'],
    ],
    ["whose line is a part of one", [FILE, "@@", '-    "lint": "eslint', '+    "lint": "sh evil.sh']],
    ["that only adds", [FILE, "@@", '+  "scripts": { "test": "sh evil.sh" },']],
    ["for the end of the file", [FILE, "@@", ...ZOD, "*** End of File"]],
    ["that renames it", [FILE, "*** Move to: other/package.json", "@@", ...ZOD]],
    ["that is moved to it", ["*** Update File: src/a.ts", "*** Move to: package.json", "@@", "-x", "+{}"]],
    ["that names it twice", [FILE, "@@", ...ZOD, FILE, "@@", ...script]],
    ["with a hidden end of a line", [FILE, "@@", ZOD[0], `${ZOD[1]}\r`, '+  "scripts": {},']],
    ["with an empty line", [FILE, "@@", ...ZOD, "", ...script]],
  ] as const)("%s", async (_what, lines) => {
    expect(await isLeft(lines as readonly string[])).toBe(false);
  });

  test("with other ends of lines", async () => {
    expect(await isLeft([FILE, "@@", ...ZOD], "\r\n")).toBe(false);
  });

  test("whose file has other ends of lines", async () => {
    bench.write("package.json", MANIFEST.replaceAll("\n", "\r\n"));
    recordInGit();
    expect(await isLeft([FILE, "@@", ...ZOD])).toBe(false);
  });

  test("that git does not have as it is", async () => {
    bench.write("package.json", MANIFEST.replace("shop", "store"));
    expect(await isLeft([FILE, "@@", ...ZOD])).toBe(false);
  });
});
