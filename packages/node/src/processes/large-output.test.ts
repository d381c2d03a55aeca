import { join } from "node:path";
import { type FolderSidecar, folderSidecar } from "@toolkeep/sqlite/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { noSandbox } from "../sandbox/open-sandbox.ts";
import { guardedCommands } from "./guarded-commands.ts";
import { shellGrant } from "./shell-grant.test.kit.ts";
import { type Spawner, startSpawner } from "./spawner.ts";

const MEGABYTE = 1_024 * 1_024;

let spawner: Spawner;
const folder = sharedFolder();

beforeAll(async () => {
  spawner = await startSpawner();
});

afterAll(() => spawner.close());

function commands(sidecar: FolderSidecar) {
  const nothing = { read: [], write: [], guarded: [], hidden: [], hosts: [] };
  return guardedCommands(shellGrant(), {
    spawner,
    sandbox: noSandbox(),
    sidecar,
    sandboxProfileFor: () =>
      Promise.resolve({ ...nothing, environment: { PATH: "/usr/bin:/bin" }, cwd: folder }),
    parse: () => Promise.resolve({ plain: false, reason: "is not looked at" }),
  });
}

/** Writes this much, follows it, reads it back; returns the most memory this process had meanwhile. */
async function mostMemoryFor(size: number): Promise<number> {
  const sidecar = folderSidecar({ folder: join(folder, "sidecars"), sessionId: "s" });
  let [followed, most] = [0, 0];
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  const { output } = await commands(sidecar).run({
    line: `head -c ${size} /dev/zero | tr '\\0' '\\n'`,
    keepBytes: 1_000,
    onOutput(chunk) {
      followed += chunk.length;
    },
  });
  expect(output?.head.length).toBe(1_000);
  expect([output?.size, followed]).toEqual([size, size]);
  const end = await sidecar.read(output?.path ?? "", { offset: size - 10, length: 100 });
  expect(end).toEqual(new Uint8Array(10).fill(10));
  clearInterval(timer);
  look();
  await sidecar.clear();
  return most;
}

test("output does not pass through this process: another hundred megabytes, followed and redacted, need no memory", async () => {
  // What is collected in time is a few tens of megabytes: the first time brings the process there.
  const before = await mostMemoryFor(50 * MEGABYTE);
  const after = await mostMemoryFor(150 * MEGABYTE);
  expect(after - before).toBeLessThan(50 * MEGABYTE);
});
