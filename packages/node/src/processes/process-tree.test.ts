import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { endTree, markerFor, startOf } from "./process-tree.ts";
import { type Spawner, startSpawner } from "./spawner.ts";

const isLinux = process.platform === "linux";
const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 30);
const PATH = "/usr/bin:/bin";

let spawner: Spawner;
const folder = sharedFolder();

beforeAll(async () => {
  spawner = await startSpawner();
});

afterAll(() => spawner.close());

/** How many processes sleep for this time. */
function sleeping(time: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(`\0${time}\0`);
    } catch {
      return false;
    }
  }).length;
}

function oddSeconds(): string {
  return `${100 + Math.random()}`;
}

test.runIf(isLinux)(
  "a process that becomes a daemon while the command ends is found all the same, every time",
  async () => {
    const time = oddSeconds();
    const ways: readonly [string, ...string[]][] = [
      ["setsid", "-f", "sleep", time],
      ["bash", "-c", `(setsid bash -c "(setsid sleep ${time} &)" &)`],
    ];
    for (let round = 0; round < RUNS; round += 1)
      for (const [index, argv] of ways.entries()) {
        const outputPath = join(folder, `${round}-${index}`);
        const command = { argv, environment: { PATH }, cwd: folder };
        const { ended } = await spawner.start({ command, streams: { outputPath, outputLimit: 1e6 } });
        expect(await ended).toEqual({ exitCode: 0 });
      }
    expect(sleeping(time)).toBe(0);
  },
);

test.runIf(isLinux)("others are let alone, whatever their number, group or age", async () => {
  const time = oddSeconds();
  const ours = spawn("sleep", [time], { detached: true, env: { PATH, ...markerFor("ours").environment } });
  const theirs = spawn("sleep", [time], {
    detached: true,
    env: { PATH, ...markerFor("theirs").environment },
  });
  await Promise.all([once(ours, "spawn"), once(theirs, "spawn")]);
  const ends = [once(ours, "exit"), once(theirs, "exit")];
  const startedAt = startOf(ours.pid ?? 0);
  // A process that took over the number of one that is long gone is another one.
  const older = { pid: theirs.pid ?? 0, startedAt: (startedAt ?? 0) + 1_000, marker: "none" };
  expect(await endTree(older, { graceMs: 0 })).toBe(0);
  expect(
    await endTree({ pid: ours.pid ?? 0, startedAt, marker: markerFor("ours").marker }, { graceMs: 0 }),
  ).toBe(0);
  await ends[0];
  expect(sleeping(time)).toBe(1);
  expect(
    await endTree({ pid: 0, startedAt: undefined, marker: markerFor("theirs").marker }, { graceMs: 500 }),
  ).toBe(0);
  expect((await ends[1])?.[1]).toBe("SIGTERM");
});
