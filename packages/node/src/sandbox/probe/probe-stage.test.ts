import { readdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { setProbeStage } from "./probe-stage.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv("TMPDIR", folder);
});

afterEach(() => vi.unstubAllEnvs());

test("a stage that cannot be set leaves nothing behind", async () => {
  // No process can be started as the one, and an ordinary user gives no files to the other.
  const user = process.getuid?.() === 0 ? 3_000_000_000 : 0;
  await expect(setProbeStage({ uid: user, gid: user })).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test("one that was set is struck whole", async () => {
  const stage = await setProbeStage(undefined);
  expect(readdirSync(folder)).toHaveLength(1);
  await stage.strike();
  expect(readdirSync(folder)).toEqual([]);
  expect(stage.victim.killed).toBe(true);
});
