import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { commitAll, initGit } from "./git-project.ts";
import { hookBench } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  initGit(bench);
  bench.write("package.json", '{ "scripts": { "test": "node --test" }, "dependencies": {} }');
  bench.write("Makefile", "all:\n");
  bench.write("CLAUDE.md", "# x\n");
  bench.write("src/a.ts", "x");
  commitAll(bench);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function used(tool: string, input: object, conversation: string = crypto.randomUUID()) {
  const payload = {
    ...{ conversation_id: conversation, hook_event_name: "preToolUse", workspace_roots: [bench.project] },
    ...{ tool_name: tool, tool_input: input, cwd: bench.project },
  };
  const { stdout } = await runHook({ client: "cursor", text: JSON.stringify(payload), environment: {} });
  return JSON.parse(stdout) as { readonly permission: string; readonly agent_message?: string };
}
const said = async (...call: Parameters<typeof used>) => (await used(...call)).permission;
const write = (path: string) => said("Write", { path: join(bench.project, path), contents: "x" });
const edit = (path: string, before: string, after: string) =>
  said("StrReplace", { path: join(bench.project, path), old_string: before, new_string: after });

describe("[editor A5] Cursor, which cannot ask about an edit", () => {
  test("may change versions in a manifest that git has as it is, and make new files", async () => {
    expect(await edit("package.json", '"dependencies": {}', '"dependencies": { "zod": "^4" }')).toBe("allow");
    expect(await write("app/page.tsx")).toBe("allow");
    bench.write("package.json", '{ "scripts": { "test": "node --test" }, "dependencies": {} }\n');
    expect(await edit("package.json", '"dependencies": {}', '"dependencies": { "zod": "^4" }')).toBe("deny");
  });

  test("may not change what commands follow, and learns the rule and the file for it", async () => {
    for (const path of ["Makefile", "setup.py"]) {
      const { permission, agent_message: message } = await used("Write", {
        path: join(bench.project, path),
        contents: "x",
      });
      expect([path, permission]).toEqual([path, "deny"]);
      expect(message).toMatch(/run `toolkeep allow '(?:allow )?fs\.write .*'`/);
    }
  });

  test("may not change scripts, instructions, what is protected or installed, and other folders", async () => {
    expect(await edit("package.json", "node --test", "sh x")).toBe("deny");
    for (const path of [
      "CLAUDE.md",
      ".cursorrules",
      ".github/workflows/ci.yml",
      ".cursor/hooks.json",
      ".envrc",
    ])
      expect([path, await write(path)]).toEqual([path, "deny"]);
    for (const path of ["toolkeep.yaml", ".toolkeep/config.jsonc", "node_modules/x/index.js", ".git/hooks/x"])
      expect([path, await write(path)]).toEqual([path, "deny"]);
    expect(await said("Write", { path: join(bench.home, "Makefile"), contents: "x" })).toBe("deny");
  });
});

describe("[editor A5] Cursor's other tools", () => {
  const patch = (...lines: readonly string[]) => ({
    patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
  });

  test("a patch is decided by the files that it names", async () => {
    expect(await said("ApplyPatch", patch("*** Update File: src/a.ts", "@@", "-x", "+y"))).toBe("allow");
    expect(await said("ApplyPatch", patch("*** Add File: src/b.ts", "+y"))).toBe("allow");
    for (const lines of [
      ["*** Update File: .git/config", "+y"],
      ["*** Update File: src/a.ts", "-x", "+y", "*** Update File: ../other/a.ts", "+y"],
      ["*** Update File: src/a.ts", "*** Move to: .git/hooks/pre-commit", "+y"],
      ["*** Delete File: src/a.ts"],
      ["*** Rename File: src/a.ts"],
      ["  *** Update File: .git/config"],
      [],
    ])
      expect([lines, await said("ApplyPatch", patch(...lines))]).toEqual([lines, "deny"]);
    expect(await said("ApplyPatch", { patch: "--- a/.git/config\n+++ b/.git/config\n" })).toBe("deny");
  });

  test("an image is a file if it names one; plans and subagents stay in the conversation", async () => {
    expect(await said("GenerateImage", { prompt: "x" })).toBe("allow");
    expect(await said("GenerateImage", { prompt: "x", filename: "src/logo.png" })).toBe("allow");
    expect(await said("GenerateImage", { prompt: "x", path: join(bench.home, ".bashrc") })).toBe("deny");
    expect(await said("CreatePlan", { plan: "x" })).toBe("allow");
    expect(await said("Subagent", { prompt: "x" })).toBe("allow");
    expect(await said("TimeTravel", {})).toBe("deny");
  });
});
