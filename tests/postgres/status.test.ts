import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSession } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What `npm run postgres:status` runs. */
async function status(...args: readonly string[]) {
  const program = [...FROM_SOURCE, "scripts/postgres-status.ts", ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT });
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    return { code, said: stderr };
  }
}

describe.skipIf(POSTGRES_URL === "")("postgres:status", () => {
  const openStore = testStores();

  test("says what a database holds, for a person and as JSON", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const { tool } = stubTool("asked", () => "done", { idempotent: false });
    const options = { store, tools: [tool], policy: ["ask asked"], approver: scriptedApprover("later") };
    const session = await createSession({ id: "waits", ...options });
    await session.run([{ id: "1", name: "asked", arguments: {} }], { id: "turn" });
    await session.leave();
    await using _open = await createSession({ id: "open", ...options });
    await store.sendMessage("waits", { text: "hello" });

    const { code, said } = await status("--url", POSTGRES_URL, "--schema", schema);
    expect(code, said).toBe(0);
    const lines = said.trimEnd().split("\n");
    expect(lines).toContain(`schema             ${schema}, version ${(await store.status()).schemaVersion}`);
    expect(lines).toContain("sessions           2, 1 of them open in a process");
    expect(lines).toContain("unfinished turns   1");
    expect(said).toMatch(/^waiting requests {3}1, the oldest since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
    expect(lines).toContain("raw arguments      2 under the key test");
    expect(said).toMatch(/^left for sessions {2}1 answers/m);
    expect(lines).toContain("large outputs      0, 0 bytes outside of the database");
    expect(said).toMatch(/^created \d{4}-\d\d {4}2 sessions, [\d.]+ kB of events$/m);
    expect(said).toMatch(/^on disk {12}[\d.]+ [kM]B$/m);

    const json = await status("--url", POSTGRES_URL, "--schema", schema, "--json");
    const { bytes, ...counts } = await store.status();
    expect(JSON.parse(json.said)).toMatchObject(counts);
    expect(bytes).toBeGreaterThan(0);
  });

  test("says so where there is no store, and creates none", async () => {
    const schema = newSchema();
    for (let time = 0; time < 2; time += 1) {
      const { code, said } = await status("--url", POSTGRES_URL, "--schema", schema);
      expect({ code, said }).toEqual({
        code: 1,
        said: expect.stringContaining(`There is no store in the schema ${schema}.`),
      });
    }
    const unreachable = await status("--url", "postgres://tests@127.0.0.1:1/postgres");
    expect(unreachable).toEqual({ code: 2, said: expect.stringContaining("cannot be read: ") });
    const misspelled = await status("--ulr", POSTGRES_URL);
    expect(misspelled).toEqual({
      code: 2,
      said: expect.stringContaining("npm run postgres:status -- --url"),
    });
  });
});
