import { join } from "node:path";
import { defineTool, type Session } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

const send = defineTool({
  name: "send",
  description: "Sends.",
  inputSchema: { type: "object", properties: { to: { type: "string" } } },
  requires: { capabilities: ["send"] },
  effects: ({ to }) => [{ capability: "send", target: String(to) }],
  execute: () => "sent",
});

let bench: CliBench;
let store: SqliteStore;
let workspace: Workspace;
let session: Session;

beforeEach(async () => {
  bench = cliBench();
  store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
  const sidecars = join(bench.base, "sidecars");
  workspace = await openWorkspace({ roots: [bench.project], sandbox: noSandbox(), sidecars, store });
  session = await workspace.createSession({ id: "s1", tools: [send], approver: scriptedApprover("later") });
  await session.run([{ id: "c1", name: "send", arguments: { to: "ann" } }], { id: "turn-a" });
});
afterEach(async () => {
  await session.close();
  await workspace.close();
  await store.close();
  bench.remove();
});

const typed = (line: string, after: string, keys: string) =>
  inTerminal(`${OWN_LINE} ${line}`, [{ after, keys }], { cwd: bench.project, env: bench.environment });

describe.skipIf(!hasPseudoTerminal)("a question in a terminal", () => {
  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("ends with 130 after %s, without an internal error, and nothing is answered", async (_name, keys) => {
    const { code, shown } = await typed("approve turn-a", "[y/N]", keys);
    expect(code).toBe(130);
    expect(shown).toContain("Interrupted.");
    expect(shown).not.toMatch(/internal error|abort|went wrong/i);
    expect(await store.waiting()).toHaveLength(1);
  });

  test("says what it will do before it asks, and that it is done only afterwards", async () => {
    const no = await typed("approve turn-a", "[y/N]", "n\n");
    expect(no).toMatchObject({ code: 3, shown: expect.stringContaining("Approve this call once? [y/N]") });
    expect(no.shown).not.toContain("Approved");
    const yes = await typed("approve turn-a", "[y/N]", "y\n");
    expect(yes.code).toBe(0);
    expect(yes.shown.indexOf("Approved once.")).toBeGreaterThan(yes.shown.indexOf("[y/N]"));
    expect(await store.waiting()).toEqual([]);
  });
});
