import { join } from "node:path";
import { createProjectTrust } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { initGit } from "./git-project.ts";
import { hookBench } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  initGit(bench);
  bench.write("package.json", '{\n  "scripts": { "test": "node --test" },\n  "dependencies": {}\n}\n');
  bench.write("src/cart.js", "export const add = (a, b) => a + b;\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const trust = () => createProjectTrust({ decide: () => "trust" }).of(bench.project);

const ZOD = ['"dependencies": {}', '"dependencies": { "zod": "^4.0.0" }'] as const;
const SCRIPT = ["node --test", "sh evil.sh"] as const;
const MILD_LINES = [
  "npm install --ignore-scripts zod",
  `node -e "import('./src/cart.js').then(m=>console.log(m.add(1,2)))"`,
];

/** What asks is a denial where the client cannot ask. */
const CLIENTS = [
  {
    client: "copilot",
    edit: (path: string, old_str: string, new_str: string) => ({ path, old_str, new_str }),
  },
  {
    client: "opencode",
    edit: (filePath: string, oldString: string, newString: string) => ({ filePath, oldString, newString }),
  },
] as const;

describe.each(CLIENTS)("$client, which does not say its mode", ({ client, edit }) => {
  const answered = async (name: string, input: Payload) => {
    const id = crypto.randomUUID();
    const recorded = payloadsOf(client, bench)[name] as Payload;
    const payload = { ...withInput(recorded, input), sessionId: id, sessionID: id, rootID: id };
    const { stdout } = await runHook({ client, text: JSON.stringify(payload), environment: {} });
    return stdout;
  };
  const isLeft = async (name: string, input: Payload) =>
    ["{}\n", '{"action":"none"}\n'].includes(await answered(name, input));
  const manifest = (change: readonly [string, string]) =>
    isLeft("edit", edit(join(bench.project, "package.json"), ...change));

  test("is left alone with mild things in a trusted project, and tells the model the mild form", async () => {
    await trust();
    expect(await manifest(ZOD)).toBe(true);
    for (const command of MILD_LINES) expect([command, await isLeft("shell", { command })]).toContain(true);
    const said = await answered("shell", { command: "npm install zod" });
    expect(said).toContain('"deny"');
    expect(said).toContain("needs no approval: npm install --ignore-scripts zod");
  });

  test("is not left alone with them elsewhere, nor with anything else", async () => {
    expect(await manifest(ZOD)).toBe(false);
    for (const command of MILD_LINES) expect([command, await isLeft("shell", { command })]).toContain(false);
    await trust();
    expect(await manifest(SCRIPT)).toBe(false);
    for (const command of ["npm rebuild zod", "hugo build", "git push", `${MILD_LINES[1]}; hugo build`])
      expect([command, await isLeft("shell", { command })]).toContain(false);
  });
});
