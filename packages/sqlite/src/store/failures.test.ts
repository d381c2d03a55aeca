import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";

import { expect, test } from "vitest";
import { runProgram } from "../../../../tests/crash/run-program.ts";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

test("a database that stays locked fails the call, and the session does not continue without a record", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder, busyTimeoutMs: 30 });
  const stub = stubTool("work", () => "done", { idempotent: false });
  const session = await createSession({ id: "s", tools: [stub.tool], journal: store.journal("s") });
  await session.call({ id: "1", name: "work", arguments: {} });
  const blocker = new DatabaseSync(join(folder, "toolkeep.db"));
  blocker.exec("BEGIN IMMEDIATE");
  await expect(session.call({ id: "2", name: "work", arguments: {} })).rejects.toMatchObject({
    code: "journal_broken",
    message: expect.stringMatching(/"s" cannot be continued: database is locked/),
  });
  blocker.exec("ROLLBACK");
  blocker.close();
  await expect(session.call({ id: "3", name: "work", arguments: {} })).rejects.toMatchObject({
    code: "journal_broken",
  });
  // The intent was not written, so the effect did not happen.
  expect(stub.executed).toHaveLength(1);
  await store.close();
  const again = openSqliteStore({ path: folder });
  expect(again.sessions()).toMatchObject([{ calls: 1, isInUse: false }]);
  expect(await again.verify("s")).toMatchObject({ intact: true });
  await again.close();
});

test.skipIf(process.platform === "win32")(
  "a disk that is full fails the call; everything that was reported before is there (not tried on Windows)",
  async () => {
    const folder = temporaryFolder();
    const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 1500; exec "$@"', "limited"] as const;
    const child = runProgram("fill-store.ts", { folder, sessionId: "s" }, limited);
    expect(await child.ended).toEqual({ code: 0, errors: "" });
    const failed = child.lines.at(-1) ?? "";
    expect(failed).toMatch(
      /^failed journal_broken .*cannot be continued: (disk I\/O error|database or disk is full)/,
    );
    expect(child.lines.at(-2)).toMatch(/^ran ([1-9]\d*) of \1, then nothing$/);
    const store = openSqliteStore({ path: folder });
    expect(await store.verify("s")).toMatchObject({ intact: true });
    const settled = await Array.fromAsync(store.events("s", { types: ["call-end"] }));
    const kept = new Set(settled.map((event) => event.type === "call-end" && `reported ${event.callId}`));
    const reported = child.lines.filter((line) => line.startsWith("reported "));
    expect(reported.length).toBeGreaterThan(10);
    expect(reported.filter((line) => !kept.has(line))).toEqual([]);
    await store.close();
  },
);
