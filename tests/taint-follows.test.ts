import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { standardTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const SECRET = "KEY=not-a-real-one-but-long-enough-to-be-told-apart-from-all-other-files\n";
const LONG_AGO = new Date("2024-01-01T00:00:00Z");

let folder: string;
let root: string;
let store: SqliteStore;
let workspace: Workspace;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-follows-")));
  root = join(folder, "repo");
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, ".env"), SECRET);
  utimesSync(join(root, ".env"), LONG_AGO, LONG_AGO);
  writeFileSync(join(root, "src/a.ts"), "export {};\n");
  store = openSqliteStore({ path: join(folder, "store") });
  const sidecars = join(folder, "sidecars");
  workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars, store });
});
afterEach(async () => {
  await workspace.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A session whose user says yes to everything. */
async function session() {
  return workspace.createSession({
    tools: standardTools(),
    policy: { ...RECOMMENDED_POLICY, mode: "ask" },
    approver: async () => ({ verdict: "once" }),
  });
}

type Made = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** What a page would come to after these calls, in a session of their own. */
async function pageAfter(...calls: readonly Made[]): Promise<string | undefined> {
  await using own = await session();
  for (const [index, [name, args]] of calls.entries()) {
    const result = await own.call({ id: `c${index}`, name, arguments: args });
    expect(result, `${name}: ${result.failure?.message}`).toMatchObject({ ok: true });
  }
  const page = { id: "page", name: "web_fetch", arguments: { url: "https://nodejs.org/api/" } };
  return (await own.explain(page)).explanation?.decision.action;
}

const read = (path: string): Made => ["read", { path }];
const bash = (command: string): Made => ["bash", { command }];

describe("what a session with private data writes", () => {
  test.each<[string, Made]>([
    ["by writing", ["write", { path: "src/note.txt", content: SECRET }]],
    ["by a copy", bash("cp .env src/note.txt")],
    ["by a redirect", bash("cat .env > src/note.txt")],
  ])("%s is private for the next one", async (_, leaves) => {
    expect(await pageAfter(read("src/a.ts"))).toBe("allow");
    expect(await pageAfter(read(".env"), leaves)).toBe("ask");
    expect(await pageAfter(read("src/a.ts"))).toBe("allow");
    expect(await pageAfter(read("src/note.txt"))).toBe("ask");
    expect(await pageAfter(bash("cat src/note.txt"))).toBe("ask");
    expect(await pageAfter(["grep", { pattern: "KEY", path: "src" }])).toBe("ask");
    // A session that did not look into it, and moves it.
    await pageAfter(bash("mv src/note.txt src/other.txt"));
    expect(await pageAfter(read("src/other.txt"))).toBe("ask");
  });

  test.each<[string, string, Made]>([
    ["by a move", "src/note.txt", bash("mv .env src/note.txt")],
    ["under a name that looks like a pattern", "no{t,e}*.txt", bash("cp -p .env 'no{t,e}*.txt'")],
  ])("%s is private for the next one", async (_, left, leaves) => {
    expect(await pageAfter(read(".env"), leaves)).toBe("ask");
    expect(await pageAfter(read(left))).toBe("ask");
  });

  test("is not, once it has been changed by a session without", async () => {
    await pageAfter(read(".env"), ["write", { path: "src/note.txt", content: SECRET }]);
    expect(await pageAfter(["write", { path: "src/b.ts", content: "export const b = 1;\n" }])).toBe("allow");
    expect(await pageAfter(read("src/b.ts"))).toBe("allow");
  });
});
