import { spawn } from "node:child_process";
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { takeFileLock } from "../../../owned-files/with-file-lock.ts";
import { statOf } from "../../../processes/proc.ts";
import { openPlace } from "./open-place.ts";
import { hasPlaces, run, start, testPlace, USER, until } from "./place.test.kit.ts";

const isRoot = process.getuid?.() === 0;

describe.skipIf(!hasPlaces)("a place", () => {
  test("is the same for everyone who opens it at once", async () => {
    await using one = testPlace();
    const places = await Promise.all([one.open(), one.open(), one.open()]);
    expect(new Set(places.map(({ init }) => init)).size).toBe(1);
    for (const place of places) place.close();
  });

  test("has one keeper, whatever that one has been asked since", async () => {
    await using one = testPlace();
    const place = await one.open();
    for (let asked = 0; asked < 3_000; asked += 1) await place.keepFor(process.pid);
    const lock = takeFileLock(join(one.folder, "lock"));
    expect(lock === undefined).toBe(true);
    lock?.close();
  });

  test("lets a command see and end the process of another, and read nothing of it", async () => {
    await using one = testPlace();
    const place = await one.open();
    const { alive } = await run(place, "SECRET=s sleep 1000 & echo started");
    expect(alive).toHaveLength(1);
    const read = await run(
      place,
      'pid=$(pgrep sleep | tail -n 1); cd /proc/$pid; for name in mem environ maps fd/0 cwd root/etc exe; do (cat $name || ls $name/ || readlink $name) >/dev/null 2>&1 && echo "read $name"; done; kill $pid && echo ended',
    );
    expect(read.output).toBe("ended\n");
    await until(() => statOf(alive[0] ?? 0) === undefined);
  });

  test("shows no process but its own, and nothing of its first one", async () => {
    await using one = testPlace();
    const place = await one.open();
    const { output } = await run(place, `ls /proc/1 /proc/2/root 2>&1; ls -d /proc/${process.pid}`);
    expect(output).toMatch(/cannot open|Permission denied|cannot read/);
    expect(output).toContain(`cannot access '/proc/${process.pid}'`);
  });

  test("ends a command whose caller is gone, and leaves a server of one that is over", async () => {
    await using one = testPlace();
    const [place, caller] = [await one.open(), await one.open()];
    const { alive } = await run(place, "sleep 1000 & echo");
    const { child, ended } = await start(caller, "exec sleep 999");
    await until(async () => (await run(place, "pgrep -fx 'sleep 999'")).status === 0);
    caller.close();
    await until(() => child.exitCode !== null || child.signalCode !== null);
    await expect(ended).rejects.toMatchObject({ code: "unavailable" });
    expect(alive.map(isGone)).toEqual([false]);
  });

  test("starts anew after its keeper was killed, and nothing of the old one is left", async () => {
    await using one = testPlace();
    const place = await one.open();
    const { alive } = await run(place, "sleep 1000 & echo");
    process.kill(keeperOf(place.init), "SIGKILL");
    await until(() => [place.init, ...alive].every(isGone));
    await expect(start(place, "true")).rejects.toMatchObject({ code: "unavailable" });
    const next = await one.open();
    expect(next.init).not.toBe(place.init);
    expect((await run(next, "echo works")).output).toBe("works\n");
  });

  test("ends with everything in it when it is told to, and when those it is kept for are gone", async () => {
    await using one = testPlace();
    const place = await one.open();
    const { alive } = await run(place, "setsid sleep 1000 & echo");
    await place.end();
    await until(() => [place.init, ...alive].every(isGone));
    const next = await one.open();
    const client = spawn("sleep", ["1000"]);
    await next.keepFor(client.pid ?? 0);
    client.kill();
    // It looks every two seconds who needs it. Who has joined it is about to run something.
    await wait(2_500);
    expect((await run(next, "echo works")).output).toBe("works\n");
    next.close();
    await until(() => isGone(next.init), 6_000);
  });

  test("is refused in a folder that is open to others, a link, another user's or another project's", async () => {
    await using one = testPlace();
    const user = isRoot ? { user: USER } : {};
    const at = (name: string) => openPlace({ folder: join(one.base, name), project: "/p", ...user });
    mkdirSync(join(one.base, "open"), { mode: 0o755 });
    chownSync(join(one.base, "open"), USER.uid, USER.gid);
    await expect(at("open")).rejects.toThrow("is open to other users");
    symlinkSync(one.folder, join(one.base, "link"));
    await (await one.open()).end();
    await expect(at("link")).rejects.toThrow("is not a folder");
    if (isRoot) {
      mkdirSync(join(one.base, "other"), { mode: 0o700 });
      chownSync(join(one.base, "other"), 12_002, 12_002);
      await expect(at("other")).rejects.toThrow("belongs to user 12002");
    }
    await one.open();
    await expect(openPlace({ folder: one.folder, project: "/q", ...user })).rejects.toThrow("that of /p");
  });

  test("starts in spite of what an earlier keeper left in the folder", async () => {
    await using one = testPlace();
    mkdirSync(one.folder, { mode: 0o700 });
    writeFileSync(join(one.folder, "control"), "stale");
    for (const path of [one.folder, join(one.folder, "control")]) chownSync(path, USER.uid, USER.gid);
    expect((await run(await one.open(), "echo works")).output).toBe("works\n");
  });
});

function isGone(pid: number): boolean {
  return statOf(pid)?.isDead ?? true;
}

function keeperOf(init: number): number {
  // The first process is a child of the one that made its namespace, which is the keeper's.
  return statOf(statOf(init)?.parent ?? 0)?.parent ?? 0;
}
