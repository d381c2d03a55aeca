import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import { findPostgres, startPostgres } from "../postgres-server.ts";
import { askedTool } from "./asked-tool.ts";

/** The key of the dumps. It protects nothing. */
export const RELEASED_KEY = { id: "released", secret: Buffer.alloc(32, 7) };

/*
 * Writes the dump of the version that this checkout has, before a release that changes the schema:
 * node --conditions=@toolkeep/source tests/postgres/released/write-release.ts
 */
if (import.meta.main) {
  await using server = await startPostgres();
  const schema = "released_schema";
  const store = await openPostgresStore({ url: server.url, schema, keys: [RELEASED_KEY] });
  const { tool } = askedTool();
  const policy = [{ permission: "asked", action: "ask" }] as const;
  const approver = scriptedApprover("later");
  const waits = await createSession({ id: "waits", store, tools: [tool], policy, approver });
  await waits.run([{ id: "1", name: "asked", arguments: { path: "/data" } }], { id: "turn" });
  await waits.leave();
  const closed = await createSession({
    id: "closed",
    store,
    tools: [tool],
    policy,
    approver: scriptedApprover("once"),
  });
  await closed.run([{ id: "1", name: "asked", arguments: { path: "/data" } }]);
  await closed.close();
  await store.sendMessage("waits", { text: "hello" });
  await store.projectApprovals("/project").add("print", { summary: "", tool: "asked" } as never);
  const { schemaVersion } = await store.status();
  await store.close();
  const args = ["--inserts", "--no-owner", "--no-privileges", `--schema=${schema}`, server.url];
  const dump = execFileSync(join(findPostgres() ?? "", "pg_dump"), args, { encoding: "utf8" });
  // What a client of our own cannot run, and what would change the connection for the tests that follow.
  const lines = dump
    .split("\n")
    .filter((line) => !/^(\\|SET |SELECT pg_catalog\.set_config|--|$)/.test(line));
  writeFileSync(join(import.meta.dirname, `${schemaVersion}.sql`), `${lines.join("\n")}\n`);
}
