import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";

import { expect, test } from "vitest";
import { runProgram } from "../../../../tests/crash/run-program.ts";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const tool = stubTool("work").tool;

/** In a process namespace, so that process ids inside mean nothing outside. */
const OTHER_NAMESPACE = ["bwrap", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"] as const;

test("a session that a running process has open is refused, and can be taken over once that process is killed", async () => {
  const folder = temporaryFolder();
  const child = runProgram("write-session.ts", { folder, sessionId: "s", calls: 3, hold: true });
  await child.saidLines(1);
  const store = openSqliteStore({ path: folder });
  expect(() => store.journal("s")).toThrow(new RegExp(`in use: process ${child.pid} has it open`));
  await expect(store.forget("s")).rejects.toThrow(/in use/);
  expect(store.sessions()).toMatchObject([{ sessionId: "s", isInUse: true, state: "open", calls: 3 }]);
  child.kill();
  await child.ended;
  expect(store.sessions()).toMatchObject([{ isInUse: false, state: "open" }]);
  const journal = store.journal("s");
  const session = await createSession({ id: "s", tools: [tool], journal, pending: store.pending });
  expect(await session.call({ id: "1", name: "work", arguments: {} })).toMatchObject({ ok: true });
  expect(await journal.checked).toMatchObject({ intact: true });
  await store.close();
});

test.skipIf(!canUnshare())(
  "a process in another container is alive while it runs, and not after (needs bwrap)",
  async () => {
    const folder = temporaryFolder();
    const child = runProgram(
      "write-session.ts",
      { folder, sessionId: "s", calls: 1, hold: true },
      OTHER_NAMESPACE,
    );
    await child.saidLines(1);
    const store = openSqliteStore({ path: folder });
    expect(() => store.journal("s")).toThrow(/in use/);
    child.tell("go");
    await child.ended;
    expect(store.journal("s").extent().nextSeq).toBeGreaterThan(0);
    await store.close();
  },
);

test("one process cannot open a session twice, until it is closed", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const other = openSqliteStore({ path: folder });
  const session = await createSession({ id: "s", tools: [tool], journal: store.journal("s") });
  expect(() => store.journal("s")).toThrow(/this process has it open already/);
  expect(() => other.journal("s")).toThrow(/in use/);
  await session.close();
  const journal = other.journal("s");
  expect(journal.extent().nextSeq).toBe(2);
  journal.close();
  await store.close();
  other.close();
});

test("a writer that lost its lease writes nothing more, though it still runs", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const session = await createSession({ id: "s", tools: [tool], journal: store.journal("s") });
  await session.call({ id: "1", name: "work", arguments: {} });
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  db.exec("UPDATE sessions SET owner = 'another owner'");
  const { n: before } = db.prepare("SELECT count(*) AS n FROM batches").get() ?? {};
  await expect(session.call({ id: "2", name: "work", arguments: {} })).rejects.toMatchObject({
    code: "session_lost",
  });
  await expect(session.call({ id: "3", name: "work", arguments: {} })).rejects.toThrow();
  expect(db.prepare("SELECT count(*) AS n FROM batches").get()).toEqual({ n: before });
  db.close();
  await store.close();
});

test("nothing is written after the close, and only opening the session again claims its lease", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const late = { type: "call-late", callId: "1", tool: "work" } as const;
  const close = { type: "session-close" } as const;
  const open = { type: "session-open", sessionId: "s" } as const;
  const first = store.journal("s");
  first.append(0, 0, "", close);
  expect(() => first.append(1, 0, "t1", late)).toThrow(/is closed/);
  await first.flush();
  expect(() => first.append(1, 0, "t1", late)).toThrow(/is closed/);
  expect(store.sessions()).toMatchObject([{ isInUse: false }]);
  const second = store.journal("s");
  expect(() => first.append(1, 0, "", open)).toThrow(/in use/);
  second.append(1, 0, "", close);
  await second.flush();
  expect(() => first.append(1, 0, "", open)).toThrow(/another process continued the session/);
  second.append(2, 0, "", open);
  await second.flush();
  expect(store.sessions()).toMatchObject([{ isInUse: true }]);
  expect(await store.verify("s")).toMatchObject({ intact: true, batches: 3 });
  await store.close();
});

function canUnshare(): boolean {
  try {
    execFileSync(OTHER_NAMESPACE[0], [...OTHER_NAMESPACE.slice(1), "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
