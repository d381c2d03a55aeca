import { join } from "node:path";
import { defineTool, type Session } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { scriptedApprover } from "@toolkeep/core/testing";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

const ship = defineTool({
  name: "ship",
  description: "Ship a release.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  requires: { capabilities: ["ship"] },
  effects: ({ to }) => [effect("ship", to)],
  execute: ({ to }) => `released to ${to}`,
});

const choose = defineTool({
  name: "choose",
  description: "Asks which.",
  mode: "read",
  inputSchema: { type: "object" },
  requires: {},
  execute: async (_args, ctx) => ctx.ask([{ question: "Which?", options: [{ label: "red" }] }]),
});

let bench: CliBench;
let store: SqliteStore;
let workspace: Workspace;
let sessions: readonly Session[];

beforeEach(async () => {
  bench = cliBench();
  store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
  const sidecars = join(bench.base, "sidecars");
  workspace = await openWorkspace({ roots: [bench.project], sandbox: noSandbox(), sidecars, store });
  const approver = scriptedApprover("later", () => "later");
  const open = (id: string) => workspace.createSession({ id, tools: [ship, choose], approver });
  sessions = [await open("one"), await open("two")];
  const [one, two] = sessions;
  await one?.run([{ id: "c1", name: "ship", arguments: { to: "prod" } }], { id: "turn-a" });
  await two?.run([{ id: "c1", name: "ship", arguments: { to: "test" } }], { id: "turn-b" });
  await two?.run([{ id: "c1", name: "choose", arguments: {} }], { id: "turn-c" });
});
afterEach(async () => {
  for (const session of sessions) await session.close();
  await workspace.close();
  await store.close();
  bench.remove();
});

/** The result of a turn after its session has picked up the answer. */
async function resultOf(session: Session | undefined, turnId: string) {
  return (await session?.resume(turnId))?.results[0];
}

test.skipIf(!hasPseudoTerminal)(
  "in a terminal the requests of all sessions are answered with one key each",
  async () => {
    const typing = [
      // The second, and back to the first.
      { after: "[?] explain", keys: "j", isPressed: true },
      { after: "[?] explain", keys: "k", isPressed: true },
      { after: "[?] explain", keys: "y", isPressed: true },
      { after: "[?] explain", keys: "w", isPressed: true },
      { after: "goes back): ", keys: "not today" },
      { after: "not today", keys: "\r" },
      { after: "[n] no answer", keys: "a", isPressed: true },
      { after: "> ", keys: "1" },
      { after: "1", keys: "\r" },
    ] as const;
    const { CI: _, ...env } = bench.environment as Record<string, string>;
    const run = await inTerminal(`${OWN_LINE} approvals`, typing, { cwd: bench.project, env });
    expect(run.code, run.shown).toBe(0);
    expect(run.shown).toContain("INBOX  3 waiting");
    expect(run.shown).toContain("  | > 2. ship, session two");
    expect(run.shown).toContain("turn-a/c1 once\nturn-b/c1 reject\n");
    const [one, two] = sessions;
    expect(await resultOf(one, "turn-a")).toMatchObject({ data: "released to prod" });
    const failure = { message: "An approver rejected this call: not today" };
    expect(await resultOf(two, "turn-b")).toMatchObject({ ok: false, failure });
    expect(await resultOf(two, "turn-c")).toMatchObject({ data: [["red"]] });
  },
);

test("without a terminal there is no prompt, and nothing to watch", async () => {
  const listed = await bench.run(["approvals"]);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain("Allow ship?");
  const watched = await bench.run(["approvals", "--watch"]);
  expect(watched).toMatchObject({ code: 2, stdout: "" });
  expect(watched.stderr).toContain("needs an interactive terminal");
  expect(await store.waiting()).toHaveLength(3);
});
