import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tool } from "@toolkeep/core";
import { managerTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lspTool } from "../../packages/tools/src/lsp/lsp-tool.ts";
import { ask, has, type LspProject, NO_SANDBOX, openLspProject, textOf } from "./lsp-project.ts";
import { SCRIPTED_SERVER } from "./scripted-server.ts";

const HOVER = { action: "hover", path: "a.sh", symbol: "greet" };
const SERVER = "node_modules/.bin/bash-language-server";

let project: LspProject;
beforeEach(async () => {
  project = await openLspProject({ [SERVER]: SCRIPTED_SERVER, "a.sh": "greet\n" });
});
afterEach(() => project[Symbol.asyncDispose]());

interface Said {
  readonly seen: readonly string[];
  readonly answers: Readonly<Record<string, unknown>>;
  readonly start: number;
}

/** The processes that have to do with the server of this project. */
function running(): number {
  const commands = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf);
  return commands.filter((line) => line.includes(project.root) && line.includes(SERVER)).length;
}

function commandOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

describe.skipIf(NO_SANDBOX !== "")(`the life of a language server${NO_SANDBOX}`, () => {
  test("one server answers all calls, is answered itself, and ends with the session", async () => {
    const session = await project.openSession();
    const said = async () => JSON.parse(await textOf(session, HOVER)) as Said;
    const first = await said();
    const second = await said();
    expect(second.start).toBe(first.start);
    expect(second.seen.filter((method) => method === "initialize")).toHaveLength(1);
    expect(second.answers).toEqual({
      configuration: [expect.objectContaining({ explainshellEndpoint: "" }), {}],
      edit: { applied: false, failureReason: expect.any(String) },
      message: null,
      register: null,
    });
    expect(running()).toBeGreaterThan(0);
    await session.close();
    expect(running()).toBe(0);
  });

  test("it is stopped when it is idle, and started again by the next call", async () => {
    await using session = await project.openSession({ tools: [lspTool({ idleMs: 30 }) as Tool] });
    const first = JSON.parse(await textOf(session, HOVER)) as Said;
    await expect.poll(running).toBe(0);
    expect((JSON.parse(await textOf(session, HOVER)) as Said).start).not.toBe(first.start);
  });

  test("one that dies is started again by the next call, and not for ever", async () => {
    await using session = await project.openSession();
    project.write({ "a.sh": "greet # die\n" });
    expect(await textOf(session, HOVER)).toContain("ended with exit code 3");
    project.write({ "a.sh": "greet\n" });
    expect((await ask(session, HOVER)).ok).toBe(true);
    project.write({ "a.sh": "greet # die\n" });
    // The same call again and again would ask.
    for (const column of [1, 2, 3])
      expect(await textOf(session, { ...HOVER, line: 1, column })).toContain("exit code 3");
    expect(await textOf(session, HOVER)).toContain("ended 3 times in a row");
  });

  test("calls that lose the same server count its end once", async () => {
    await using session = await project.openSession();
    project.write({ "a.sh": "greet # die\n" });
    const said = await Promise.all([1, 2, 3].map((column) => textOf(session, { ...HOVER, line: 1, column })));
    expect(said).toEqual(said.map(() => expect.stringContaining("exit code 3")));
    project.write({ "a.sh": "greet\n" });
    expect((await ask(session, HOVER)).ok).toBe(true);
  });

  test("one that sends without end is stopped", async () => {
    await using session = await project.openSession();
    project.write({ "a.sh": "greet # flood\n" });
    expect(await ask(session, HOVER)).toMatchObject({ failure: { code: "too_large" } });
    await expect.poll(running).toBe(0);
  });

  test("a call that is cancelled cancels its request, and the server answers the next one", async () => {
    await using session = await project.openSession({
      tools: [{ ...lspTool(), timeoutMs: 2_000 } as unknown as Tool],
    });
    project.write({ "b.sh": "greet # hang\n" });
    await ask(session, HOVER);
    const hanging = await ask(session, { ...HOVER, path: "b.sh" });
    expect(hanging).toMatchObject({ failure: { code: "timed_out" } });
    await sleep(50);
    const { seen } = JSON.parse(await textOf(session, HOVER)) as Said;
    expect(seen).toContain("$/cancelRequest");
  });

  test("answers are bounded, and of files elsewhere nothing is shown but the name", async () => {
    await using session = await project.openSession();
    expect(await textOf(session, { ...HOVER, action: "definition" })).toBe("/etc/hostname:1:1");
    const all = await ask(session, { ...HOVER, action: "references" });
    expect(all.data).toMatchObject({ total: 1000, found: { length: 200 } });
    project.write({ "a.sh": "greet # error\n" });
    const refused = await textOf(session, HOVER);
    expect(refused).toContain("refused textDocument/hover: no");
    expect(refused).not.toContain("\u001b");
  });

  test("a place that is not in the file is named in the failure", async () => {
    await using session = await project.openSession();
    expect(await textOf(session, { ...HOVER, symbol: "gree" })).toContain('a.sh has no "gree"');
    expect(await textOf(session, { ...HOVER, line: 9 })).toContain("a.sh has 1 lines");
    expect(await textOf(session, { action: "hover", path: "a.sh" })).toContain("needs `symbol`");
    expect(await textOf(session, { ...HOVER, path: "a.xyz" })).toContain("No language server is known");
  });

  test("[C56] lsp_manager is the same tool; what is not installed is named with the command that installs it", async () => {
    rmSync(join(project.root, "node_modules"), { recursive: true });
    project.write({ "a.py": "x = 1\n" });
    await using session = await project.openSession({ tools: managerTools() });
    const hint = async (args: object) => (await ask(session, { ...args }, "lsp_manager")).failure?.hint ?? "";
    expect(await hint({ action: "ruff_check", path: "a.py" })).toContain(
      has("ruff") ? "" : "pipx install ruff",
    );
    expect(await hint(HOVER)).toContain(
      has("bash-language-server") ? "" : "npm install --global bash-language-server",
    );
    expect(project.asked).toEqual([]);
  });

  test("[C56] ruff_check runs ruff without settings of the project and says what it finds where", async () => {
    await using other = await openLspProject(
      { "a.py": "import os\n", "bin/ruff": ruffThatSays('{"row":1,"column":8}') },
      { path: ["bin"] },
    );
    await using session = await other.openSession({ tools: managerTools() });
    const args = { action: "ruff_check", path: "a.py" };
    expect(await textOf(session, args, "lsp_manager")).toBe(
      has("ruff")
        ? expect.stringContaining("a.py:1:8: F401")
        : "a.py:1:8: F401 check --output-format json --no-cache --isolated a.py",
    );
  });
});

/** Stands in for ruff: its message is what it was called with. */
function ruffThatSays(location: string): string {
  return `#!/bin/bash\necho "warning: x" >&2\necho '[{"filename":"'$PWD'/a.py","code":"F401","message":"'"$*"'","location":${location}}]'\nexit 1\n`;
}
