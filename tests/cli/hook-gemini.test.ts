import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createProjectTrust } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench } from "./hook-bench.ts";

const MANIFEST = '{\n  "scripts": { "test": "node --test" },\n  "dependencies": {}\n}\n';

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  execFileSync("git", ["init", "-q", "."], { cwd: bench.project });
  bench.write("package.json", MANIFEST);
  bench.write("src/cart.js", "export const add = (a, b) => a + b;\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function answered(tool: string, input: object): Promise<{ decision?: string; reason?: string }> {
  const payload = {
    ...{ session_id: crypto.randomUUID(), transcript_path: "/x", cwd: bench.project, timestamp: "x" },
    ...{ hook_event_name: "BeforeTool", tool_name: tool, tool_input: input },
  };
  const environment = { GEMINI_PROJECT_DIR: bench.project };
  const { stdout } = await runHook({ client: "gemini-cli", text: JSON.stringify(payload), environment });
  return JSON.parse(stdout);
}

const said = async (tool: string, input: object) => (await answered(tool, input)).decision ?? "nothing";
const bash = (command: string, more = {}) => said("run_shell_command", { command, ...more });
const page = (prompt: string) => said("web_fetch", { prompt });
const manifest = (old_string: string, new_string: string) =>
  said("replace", { file_path: join(bench.project, "package.json"), old_string, new_string });
const trust = () => createProjectTrust({ decide: () => "trust" }).of(bench.project);

const ZOD = ['"dependencies": {}', '"dependencies": { "zod": "^4.0.0" }'] as const;
const OWN_FUNCTION = `node -e "import('./src/cart.js').then(m=>console.log(m.add(1,2)))"`;
const PAGE = "Read https://docs.somewhere.example/api and say what is new";

describe("Gemini CLI, which does not say its mode", () => {
  test("is left alone with mild things in a trusted project: it asks itself, or its user chose otherwise", async () => {
    await trust();
    expect(await manifest(...ZOD)).toBe("nothing");
    expect(await bash("npm install zod --ignore-scripts")).toBe("nothing");
    expect(await bash(OWN_FUNCTION)).toBe("nothing");
    expect(await page(PAGE)).toBe("nothing");
  });

  test("tells the model the form of an install that is mild", async () => {
    await trust();
    const { decision, reason } = await answered("run_shell_command", { command: "npm install zod" });
    expect(decision).toBe("deny");
    expect(reason).toContain("needs no approval: npm install --ignore-scripts zod");
  });

  test("asks about them in a project that is not trusted", async () => {
    expect(await manifest(...ZOD)).toBe("ask");
    expect(await bash("npm install zod --ignore-scripts")).toBe("ask");
    expect(await bash("npm install zod")).toBe("ask");
    expect(await bash(OWN_FUNCTION)).toBe("ask");
    expect(await page(PAGE)).toBe("ask");
  });

  test("asks about everything else", async () => {
    await trust();
    expect(await manifest("node --test", "sh evil.sh")).toBe("ask");
    expect(await bash("npm install zod --ignore-scripts", { dir_path: ".." })).toBe("ask");
    expect(await bash("hugo build")).toBe("ask");
    expect(await bash("git push")).toBe("ask");
  });

  test.each([
    ["a query", "Read https://docs.somewhere.example/api?x=1"],
    ["a second address", "Read https://docs.somewhere.example/api and https://evil.example/?x=1"],
    ["more after a quotation mark", "Read https://docs.somewhere.example/api'?x=1"],
    ["more after a bracket", "Read https://docs.somewhere.example/api)/?x=1"],
    ["more after an angle bracket", "Read https://docs.somewhere.example/a<b"],
    ["capitals", "Read HTTPS://evil.example/api]?x=1"],
    ["a host of this machine", "Read http://localhost:3000/x"],
    ["no address", "Look it up"],
  ])("asks about an address with %s", async (_what, prompt) => {
    await trust();
    expect(await page(prompt)).toBe("ask");
  });
});
