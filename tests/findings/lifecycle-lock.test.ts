import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { withFileLock } from "../../packages/node/src/owned-files/with-file-lock.ts";
import { type RunningProgram, runProgram } from "../crash/run-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { naiveLock } from "./lifecycle/naive-lock.ts";

const PROGRAM = "../findings/lifecycle/hold-lock.ts";
/** `npm run campaign:interleavings` kills more, and shows that the control does not hold. */
const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;
const kills = isCampaign ? 300 : 4;
const PROCESSES = 3;

interface Counted {
  readonly held: number;
  readonly doubles: number;
}

/** Processes that want one lock, of which one after the other is killed wherever it is, and another takes its place. */
async function killHolders(kind: "ours" | "naive"): Promise<Counted> {
  const lock = join(temporaryFolder(), "l");
  const start = () => runProgram(PROGRAM, { lock, kind, tasks: 3 });
  const all: RunningProgram[] = Array.from({ length: PROCESSES }, start);
  await Promise.all(all.map((one) => one.saidLines(1)));
  const killedAt = new Map<number, number>();
  const end = (one: RunningProgram | undefined) => {
    if (one === undefined) return;
    killedAt.set(one.pid, Date.now());
    one.kill();
  };
  for (let kill = 0; kill < kills; kill += 1) {
    await wait(20 + Math.random() * 60);
    end(all.at(-PROCESSES));
    const next = start();
    all.push(next);
    await next.saidLines(1);
  }
  for (const one of all.slice(-PROCESSES)) end(one);
  await Promise.all(all.map((one) => one.ended));
  const lines = all.flatMap((one) => one.lines);
  const found = lines.filter((line) => line.startsWith("found")).map((line) => line.split(" ").map(Number));
  return {
    held: lines.filter((line) => line === "held").length,
    doubles: found.filter(([, pid = 0, at = 0]) => at < (killedAt.get(pid) ?? 0)).length,
  };
}

test(`[reading 1.4] of processes that are killed (SIGKILL) while they hold a lock or wait for it, one holds it: ${kills} kills`, async () => {
  const { held, doubles } = await killHolders("ours");
  if (isCampaign) console.log(`${kills} kills: held ${held} times, ${doubles} double holders`);
  expect(held).toBeGreaterThan(kills);
  expect(doubles).toBe(0);
  if (isCampaign) expect((await killHolders("naive")).doubles).toBeGreaterThan(0);
});

type Lock = (lock: string, run: () => Promise<void>) => Promise<void>;

/** A lock that a crash left, and several who come at once. Gives in how many rounds there were two holders. */
async function overlapsAfterCrash(hold: Lock, rounds: number): Promise<number> {
  const folder = temporaryFolder();
  let overlaps = 0;
  for (let round = 0; round < rounds; round += 1) {
    const lock = join(folder, `l${round}`);
    writeFileSync(lock, "", { mode: 0o600 });
    utimesSync(lock, 1, 1);
    let [inside, isDouble] = [0, false];
    const enter = async () => {
      inside += 1;
      isDouble ||= inside > 1;
      await wait(2);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 6 }, () => hold(lock, enter)));
    overlaps += Number(isDouble);
  }
  return overlaps;
}

test("[reading 1.4] a lock that a crash left has one holder after it; the control, which goes by age, has two", async () => {
  expect(await overlapsAfterCrash(withFileLock, 30)).toBe(0);
  let found = 0;
  for (const until = Date.now() + 60_000; found === 0 && Date.now() < until; )
    found = await overlapsAfterCrash(naiveLock(10_000), 20);
  expect(found).toBeGreaterThan(0);
});

test("[reading 1.4] a lock that is held for long is not taken for left behind, and its file is for its owner alone", async () => {
  const lock = join(temporaryFolder(), "l");
  const order: string[] = [];
  const first = withFileLock(lock, async () => {
    order.push("first in");
    utimesSync(lock, 1, 1);
    await wait(120);
    order.push("first out");
  });
  await wait(20);
  await withFileLock(lock, async () => void order.push("second in"));
  await first;
  expect(order).toEqual(["first in", "first out", "second in"]);
  expect(statSync(lock).mode & 0o777).toBe(0o600);
});

test("[reading 1.4] what fails while it holds the lock gives it back", async () => {
  const lock = join(temporaryFolder(), "l");
  await expect(withFileLock(lock, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await withFileLock(lock, async () => {});
});
