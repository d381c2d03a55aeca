import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { type Spawner, startSpawner } from "./spawner.ts";
import type { SpawnOrder } from "./spawner-link.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
const BUBBLEWRAP = [
  "bwrap",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-all",
  "--die-with-parent",
] as const;
const hasBubblewrap = spawnSync(BUBBLEWRAP[0], [...BUBBLEWRAP.slice(1), "true"]).status === 0;
const SECRET = "a-secret-of-the-host";

let spawner: Spawner;
const folder = sharedFolder();
let files = 0;

beforeAll(async () => {
  process.env["TOOLKEEP_TEST_SECRET"] = SECRET;
  spawner = await startSpawner();
});

afterAll(async () => {
  await spawner.close();
  delete process.env["TOOLKEEP_TEST_SECRET"];
});

function order(argv: readonly [string, ...string[]], more: Partial<SpawnOrder["command"]> = {}): Kept {
  const outputPath = join(folder, `output-${++files}`);
  const command = { argv, environment: { PATH: "/usr/bin:/bin" }, cwd: folder, ...more };
  return { command, streams: { outputPath, outputLimit: 1e9 } };
}

type Kept = SpawnOrder & { readonly streams: { readonly outputPath: string; readonly outputLimit: number } };

async function run(given: Kept) {
  const { pid, ended } = await spawner.start(given);
  const end = await ended;
  return { pid, end, output: await readFile(given.streams.outputPath, "utf8") };
}

/** Processes that run a command line with this argument in it, and are not dead. */
function running(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
      } catch {
        return false;
      }
    });
}

/** A zombie is dead all the same. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A time to sleep that no other process uses. */
function oddSeconds(): string {
  return `${100 + Math.random()}`;
}

test("both streams go to one file, in order, and the exit code is data", async () => {
  const { end, output } = await run(order(["bash", "-c", "echo one; echo two >&2; echo three; exit 3"]));
  expect(end).toEqual({ exitCode: 3 });
  expect(output).toBe("one\ntwo\nthree\n");
});

test("a signal is reported as one", async () => {
  expect((await run(order(["bash", "-c", "kill -USR1 $$"]))).end).toEqual({
    exitCode: null,
    signal: "SIGUSR1",
  });
});

test("there is nothing to read unless it is given", async () => {
  expect((await run(order(["cat"]))).end).toEqual({ exitCode: 0 });
  const given = order(["cat"]);
  const inputPath = join(folder, "input");
  await writeFile(inputPath, "from a file");
  expect((await run({ ...given, streams: { ...given.streams, inputPath } })).output).toBe("from a file");
});

test("a missing program is a failure with a message", async () => {
  await expect(spawner.start(order(["/no/such/program"]))).rejects.toMatchObject({
    code: "not_found",
    message: 'The program "/no/such/program" was not found.',
  });
  await expect(spawner.start(order([folder]))).rejects.toMatchObject({ code: "unavailable" });
});

test("a file that is there already is neither followed nor written", async () => {
  const target = join(folder, "target");
  await writeFile(target, "as it was");
  const given = order(["echo", "over it"]);
  await symlink(target, given.streams.outputPath);
  await expect(spawner.start(given)).rejects.toMatchObject({ message: expect.stringContaining("EEXIST") });
  const same = { ...given, streams: { ...given.streams, outputPath: target } };
  await expect(spawner.start(same)).rejects.toMatchObject({ message: expect.stringContaining("EEXIST") });
  expect(await readFile(target, "utf8")).toBe("as it was");
});

test.runIf(isLinux)("[C68] neither the spawner nor what it starts inherits anything of ours", async () => {
  const { output } = await run(
    order(["bash", "-c", "cat /proc/self/environ /proc/$PPID/environ; ls /proc/self/fd"]),
  );
  expect(output).not.toContain(SECRET);
  expect(readFileSync(`/proc/${spawner.pid}/environ`, "utf8")).toBe("");
  const [environment = "", descriptors = ""] = output.split(/(?=0\n)/);
  const names = environment.split("\0").flatMap((entry) => entry.split("=")[0] || []);
  expect(names.toSorted()).toEqual(["PATH", "PWD", "SHLVL", "TOOLKEEP_COMMAND", "_"]);
  // Its own three and the folder that `ls` reads.
  expect(descriptors.trim().split("\n")).toEqual(["0", "1", "2", "3"]);
});

test.runIf(isLinux)(
  "a command that is over leaves no process behind, not even in another session",
  async () => {
    const time = oddSeconds();
    const line = `sleep ${time} & setsid sleep ${time} & setsid -f sleep ${time}; sleep 0.2`;
    expect((await run(order(["bash", "-c", line]))).end).toEqual({ exitCode: 0 });
    expect(running(time)).toEqual([]);
    // Also in the short time in which only the latest process ids are looked at.
    expect((await run(order(["setsid", "-f", "sleep", time]))).end).toEqual({ exitCode: 0 });
    expect(running(time)).toEqual([]);
  },
);

test.skipIf(!hasBubblewrap)(
  "with bubblewrap: not even a process that has cut all ties stays behind",
  async () => {
    const time = oddSeconds();
    const inner = `env -i /usr/bin/setsid -f /usr/bin/sleep ${time}; sleep ${time}`;
    const { kill } = await spawner.start(order([...BUBBLEWRAP, "bash", "-c", inner]));
    while (running(time).length < 2) await pause(10);
    await kill(0);
    await expect.poll(() => running(time)).toEqual([]);
  },
);

test.runIf(isLinux)("[C98] a kill ends the whole tree, also what does not listen", async () => {
  const time = oddSeconds();
  const line = `trap '' TERM; sleep ${time} & setsid sleep ${time} & setsid bash -c "trap '' TERM; sleep ${time}; sleep ${time}" & echo up; while :; do sleep ${time}; done`;
  const given = order(["bash", "-c", line]);
  const { ended, kill } = await spawner.start(given);
  while (running(time).length < 4) await pause(10);
  const begun = performance.now();
  await kill(300);
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(running(time)).toEqual([]);
  expect(await ended).toEqual({ exitCode: null, signal: "SIGKILL" });
});

test("what ends in its time is not forced", async () => {
  const given = order(["bash", "-c", "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done"]);
  const { ended, kill } = await spawner.start(given);
  await expect.poll(() => readFileSync(given.streams.outputPath, "utf8")).toBe("up\n");
  await kill(60_000);
  expect(await ended).toEqual({ exitCode: 7 });
});

test("a command that writes more than it may is ended, and the rest is cut off", async () => {
  const given = order(["bash", "-c", "yes & yes"]);
  const limited = { ...given, streams: { ...given.streams, outputLimit: 100_000 } };
  const { end, output } = await run(limited);
  expect(end).toEqual({ exitCode: null, signal: "SIGKILL", isOverLimit: true });
  expect(output.length).toBe(100_000);
});

test("closed streams are the command's own business", async () => {
  expect((await run(order(["bash", "-c", "exec 0<&- 1>&- 2>&-; echo x; exit 5"]))).end).toEqual({
    exitCode: 5,
  });
});

test.skipIf(!isRoot)("as root: a command runs as another user, with none of our groups", async () => {
  const user = { uid: 65_534, gid: 65_534 };
  const { output } = await run(
    order(["bash", "-c", "id -u; id -G; echo again >> /dev/stdout"], { user, cwd: "/" }),
  );
  expect(output).toBe("65534\n65534\nagain\n");
});

test.skipIf(isRoot)("as an ordinary user: nothing can be run as another user", async () => {
  const user = { uid: 0, gid: 0 };
  await expect(spawner.start(order(["id"], { user, cwd: "/" }))).rejects.toMatchObject({
    code: "unavailable",
  });
});

describe.runIf(isLinux)("when a process is killed", () => {
  test("a spawner that dies takes its commands with it, and another one replaces it", async () => {
    const time = oddSeconds();
    const { ended } = await spawner.start(order(["bash", "-c", `setsid sleep ${time} & sleep ${time}`]));
    while (running(time).length < 2) await pause(10);
    const before = spawner.pid ?? 0;
    process.kill(before, "SIGKILL");
    await expect(ended).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("has died"),
    });
    expect(running(time)).toEqual([]);
    const [one, two] = await Promise.all([run(order(["echo", "1"])), run(order(["echo", "2"]))]);
    expect(one.output + two.output).toBe("1\n2\n");
    expect(spawner.pid).not.toBe(before);
  });

  test("a host that dies leaves no process", async () => {
    const time = oddSeconds();
    const program = join(folder, "host.ts");
    await writeFile(
      program,
      `import { startSpawner } from ${JSON.stringify(join(import.meta.dirname, "spawner.ts"))};
       const spawner = await startSpawner();
       const argv = ["bash", "-c", "setsid sleep ${time} & sleep ${time}"];
       const command = { argv, environment: { PATH: "/usr/bin:/bin" }, cwd: "/" };
       await spawner.start({ command, streams: { outputPath: ${JSON.stringify(join(folder, "of-host"))}, outputLimit: 1e6 } });
       console.log(spawner.pid);`,
    );
    const host = spawn(process.execPath, ["--conditions=@toolkeep/source", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pid] = await once(host.stdout.setEncoding("utf8"), "data");
    while (running(time).length < 2) await pause(10);
    host.kill("SIGKILL");
    await expect.poll(() => [running(time).length, isAlive(Number(pid))]).toEqual([0, false]);
  });

  test("a host that is through need not close the spawner", async () => {
    const program = join(folder, "brief-host.ts");
    await writeFile(
      program,
      `import { startSpawner } from ${JSON.stringify(join(import.meta.dirname, "spawner.ts"))};
       console.log((await startSpawner()).pid);`,
    );
    const host = spawn(process.execPath, ["--conditions=@toolkeep/source", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [[pid], [code]] = await Promise.all([
      once(host.stdout.setEncoding("utf8"), "data"),
      once(host, "exit"),
    ]);
    expect(code).toBe(0);
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });
});

test("after it was closed nothing starts any more, and what ran is ended", async () => {
  const brief = await startSpawner();
  const { ended } = await brief.start(order(["sleep", oddSeconds()]));
  await brief.close();
  expect(await ended).toMatchObject({ signal: "SIGKILL" });
  await expect(brief.start(order(["true"]))).rejects.toMatchObject({ code: "unavailable" });
});

test("a spawner that cannot be started is reported", async () => {
  await expect(startSpawner({ nodePath: "/bin/false" })).rejects.toMatchObject({ code: "unavailable" });
  await expect(startSpawner({ nodePath: "/no/node" })).rejects.toMatchObject({ code: "unavailable" });
});

test("a missing program is an error of the host application", async () => {
  await expect(startSpawner({ program: join(folder, "nothing.js") })).rejects.toMatchObject({
    code: "invalid_option",
  });
});

test("closing is waited for while a command runs, also where nothing else keeps the host going", async () => {
  const program = join(folder, "closing-host.ts");
  await writeFile(
    program,
    `import { startSpawner } from ${JSON.stringify(join(import.meta.dirname, "spawner.ts"))};
     const spawner = await startSpawner();
     const command = { argv: ["sleep", "100"], environment: { PATH: "/usr/bin:/bin" }, cwd: "/" };
     await spawner.start({ command, streams: { outputPath: ${JSON.stringify(join(folder, "of-closing-host"))}, outputLimit: 1e6 } });
     await spawner.close();
     console.log("closed");`,
  );
  const { status, stdout } = spawnSync(process.execPath, ["--conditions=@toolkeep/source", program], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, "closed\n"]);
});
