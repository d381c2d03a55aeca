import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localTime } from "../../packages/cli/src/terminal/local-time.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const ID = "claude-code.11112222-3333-4444-5555-66667777888";
const FORGED = `x\u001b[31m\r\n21:00:00  bash: rm ${" ".repeat(80)}11112222 ${"long ".repeat(40)}`;

/** Two sessions whose ids differ in the last character, each with a call whose target imitates rows and colours. */
async function recordCalls(): Promise<void> {
  const store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state/sessions") });
  const tool = defineTool({
    name: "send",
    description: "Sends.",
    inputSchema: { type: "object" },
    mode: "safe_write",
    requires: { capabilities: ["test.send"] },
    effects: () => [{ capability: "test.send", target: FORGED }],
    execute: async () => "sent",
  });
  for (const id of [`${ID}a`, `${ID}b`, "claude-code.99998888-3333"]) {
    await using session = await createSession({
      ...{ id, store, tools: [tool], policy: { mode: "yolo", builtIn: "off" } },
    });
    await session.call({ id: "c", name: "send", arguments: {} });
  }
  await store.close();
}

describe.runIf(hasPseudoTerminal)("what was recorded, in a terminal", () => {
  test.each([
    ["log", 60],
    ["log", 120],
    ["sessions list", 60],
    ["sessions show 9999", 60],
  ])("%s fits %i columns, and no text begins a row or has a colour of its own", async (args, columns) => {
    await recordCalls();
    const at = { cwd: bench.project, env: bench.environment };
    const { shown } = await inTerminal(`stty cols ${columns}; ${OWN_LINE} ${args}`, [], at);
    const rows = stripVTControlCharacters(shown).replaceAll("\r", "").split("\n");
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
    const times = rows.filter((row) => /^\S/.test(row));
    for (const row of times)
      expect(row).toMatch(/^(\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d) {2}(send: |claude-code\.)/);
    expect(shown).not.toContain("\u001B[31m");
    const plain = await inTerminal(`NO_COLOR=1 ${OWN_LINE} ${args}`, [], at);
    expect(plain.shown).not.toContain("\u001B");
  });

  test("ids are as short as they can be, and every shown id is understood", async () => {
    await recordCalls();
    const { stdout } = await bench.runHere(["log"]);
    const ids = Array.from(stdout.matchAll(/\((claude-code\.\S+)\)$/gm), ([, id = ""]) => id);
    expect(ids).toEqual([`${ID}a`, `${ID}b`, "claude-code.99998888"]);
    for (const id of ids) expect(await bench.runHere(["sessions", "verify", id])).toMatchObject({ code: 0 });
    const { code, stderr } = await bench.runHere(["sessions", "show", "1111"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`:\n  ${ID}b\n  ${ID}a\n`)]);
    expect(stdout).not.toContain("\u001B");
    expect((await bench.run(["log"], { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001B[2m");
  });
});

test("a time of today has no date, and another one has no seconds", () => {
  const now = new Date(2026, 10, 18, 12, 0, 0).getTime();
  expect(localTime(new Date(2026, 10, 18, 9, 5, 7).getTime(), now)).toBe("09:05:07");
  expect(localTime(new Date(2026, 10, 17, 23, 59, 59).getTime(), now)).toBe("2026-11-17 23:59");
});
