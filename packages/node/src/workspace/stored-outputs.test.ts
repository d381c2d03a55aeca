import { writeFileSync } from "node:fs";
import { createRedactor } from "@toolkeep/core";
import { memorySidecar } from "@toolkeep/core/internal";
import type { Sidecar } from "@toolkeep/core/journal";
import { folderSidecar } from "@toolkeep/sqlite/internal";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { storedOutputs } from "./stored-outputs.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const SECRET = "plum-pudding-with-cream";
const LARGE = `${"x".repeat(3_000_000)}${SECRET} end`;

/** Does what a command does: writes to the file that was reserved for it. */
async function kept(shared: Sidecar) {
  const redactor = createRedactor();
  redactor.add("API_KEY", SECRET);
  const local = folderSidecar({ folder, sessionId: "s", redactor });
  const sidecar = storedOutputs(local, shared);
  const spool = await sidecar.spool("1", 10_000_000);
  writeFileSync(spool.rawPath, LARGE, { mode: 0o600 });
  return { sidecar, path: await spool.keep() };
}

test("the output of a command is where other processes find it, without its secrets", async () => {
  const shared = memorySidecar();
  const { sidecar, path } = await kept(shared);
  expect(path).toMatch(/^memory:1/);
  const text = Buffer.from((await shared.read(path)) ?? []).toString();
  expect(text).not.toContain(SECRET);
  expect(text).toMatch(/^x{3000000}.* end$/);
  expect(Buffer.from((await sidecar.read(path, { offset: 2_999_999, length: 1 })) ?? []).toString()).toBe(
    "x",
  );
  await sidecar.clear();
  expect(await shared.read(path)).toBeUndefined();
});

test("what cannot be shared stays on this machine", async () => {
  const { sidecar, path } = await kept(memorySidecar({ quotaBytes: 1_000_000 }));
  expect(path.startsWith(folder)).toBe(true);
  expect((await sidecar.read(path, { offset: 0, length: 10 }))?.length).toBe(10);
});
