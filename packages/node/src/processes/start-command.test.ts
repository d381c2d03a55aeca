import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Command, RunningCommand, Sandbox } from "@toolkeep/core/ports";
import { folderSidecar } from "@toolkeep/sqlite/internal";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { noSandbox } from "../sandbox/open-sandbox.ts";
import { guardedCommands } from "./guarded-commands.ts";
import { shellGrant } from "./shell-grant.test.kit.ts";
import { type Spawner, startSpawner } from "./spawner.ts";

let spawner: Spawner;
const folder = sharedFolder();
let controller: AbortController;
let done: number;

beforeAll(async () => {
  spawner = await startSpawner();
});

afterAll(() => spawner.close());

beforeEach(() => {
  controller = new AbortController();
  done = 0;
});

const sandbox: Sandbox = {
  ...noSandbox(),
  async wrap(argv, { environment, cwd }) {
    return { argv, environment, cwd, done: async () => void done++ };
  },
};

function start(command: Command, denied?: string): Promise<RunningCommand> {
  const grant = shellGrant({
    abortSignal: controller.signal,
    check({ capability }) {
      if (capability === denied) throw new Error(`${capability} was not resolved`);
    },
  });
  const environment = { PATH: "/usr/bin:/bin" };
  const nothing = { read: [], write: [], guarded: [], hidden: [], hosts: [] };
  return guardedCommands(grant, {
    spawner,
    sandbox,
    sidecar: folderSidecar({ folder: join(folder, "sidecars"), sessionId: "s" }),
    sandboxProfileFor: () => Promise.resolve({ ...nothing, environment, cwd: folder }),
    parse: () => Promise.resolve({ plain: false, reason: "is not looked at" }),
  }).start(command);
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("a command is talked to: what goes in comes out, line by line", async () => {
  const { stdin, stdout, stderr, exited } = await start({ argv: ["cat"] });
  const [writer, reader] = [stdin.getWriter(), stdout.getReader()];
  for (const line of ["one\n", "two\n", "\u00fc\n"]) {
    await writer.write(Buffer.from(line));
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(line);
  }
  await writer.close();
  expect((await reader.read()).done).toBe(true);
  expect(await textOf(stderr)).toBe("");
  expect(await exited).toEqual({ exitCode: 0 });
  expect(done).toBe(1);
});

test("the two streams of output are two", async () => {
  const { stdout, stderr, exited } = await start({ line: "echo out; echo err >&2; exit 4" });
  expect(await Promise.all([textOf(stdout), textOf(stderr)])).toEqual(["out\n", "err\n"]);
  expect(await exited).toEqual({ exitCode: 4 });
});

test("ten megabytes go both ways at once, and no one waits for the other for ever", async () => {
  const sent = Buffer.alloc(10_000_000, "0123456789abcdef");
  const { stdin, stdout, exited } = await start({ argv: ["cat"] });
  const writer = stdin.getWriter();
  const writing = (async () => {
    for (let at = 0; at < sent.length; at += 100_000) await writer.write(sent.subarray(at, at + 100_000));
    await writer.close();
  })();
  const [received] = await Promise.all([textOf(stdout), writing]);
  expect(received.length).toBe(sent.length);
  expect(received).toBe(sent.toString());
  expect(await exited).toEqual({ exitCode: 0 });
});

test("a reader that does not read makes the command wait; all is there in the end", async () => {
  const { stdout, exited } = await start({ argv: ["seq", "200000"] });
  expect(await Promise.race([exited, pause(300, "waits")])).toBe("waits");
  const text = await textOf(stdout);
  expect(text).toBe(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""));
  expect(await exited).toEqual({ exitCode: 0 });
});

test("what was written before the end is read after it", async () => {
  const { stdout, exited } = await start({ argv: ["echo", "last line"] });
  await exited;
  await pause(600);
  expect(await textOf(stdout)).toBe("last line\n");
});

test("a command that stops reading is reported to the writer", async () => {
  const { stdin, exited } = await start({ argv: ["true"] });
  await exited;
  const writer = stdin.getWriter();
  await expect(
    (async () => {
      for (;;) await writer.write(new Uint8Array(100_000));
    })(),
  ).rejects.toThrow();
});

test("the end comes with the first process, also if another one keeps the streams open", async () => {
  const begun = performance.now();
  const { stdout, exited } = await start({ line: "sleep 100 & echo up" });
  expect(await exited).toEqual({ exitCode: 0 });
  expect(await textOf(stdout)).toBe("up\n");
  expect(performance.now() - begun).toBeLessThan(60_000);
});

test.skipIf(process.platform !== "linux")(
  "even when that one has cut all ties: silence is the end then",
  async () => {
    const { stdout, exited } = await start({ line: "echo up; env -i setsid -f sleep 90; sleep 0.2" });
    const begun = performance.now();
    expect(await textOf(stdout)).toBe("up\n");
    expect(await exited).toEqual({ exitCode: 0 });
    expect(performance.now() - begun).toBeLessThan(60_000);
  },
);

test("[C98] it is ended by its tool, and with the call", async () => {
  const one = await start({ line: "trap '' TERM; sleep 100 & sleep 100" });
  const two = await start({ argv: ["sleep", "100"] });
  await two.kill();
  expect(await two.exited).toEqual({ exitCode: null, signal: "SIGTERM" });
  const begun = performance.now();
  controller.abort("cancelled");
  expect(await one.exited).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(await textOf(one.stdout)).toBe("");
  expect(done).toBe(2);
  await expect(start({ argv: ["true"] })).rejects.toMatchObject({ code: "cancelled" });
});

test("it is checked against the grant, and options of a run alone are refused", async () => {
  await expect(start({ argv: ["true"] }, "shell.run")).rejects.toThrow("was not resolved");
  await expect(start({ argv: ["true"], keepBytes: 5 })).rejects.toMatchObject({ code: "tool_failed" });
  await expect(start({ argv: ["no-such-program"] })).rejects.toMatchObject({ code: "not_found" });
  expect(done).toBe(1);
});

test("nothing stays open or on disk", async () => {
  const openSockets = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);
  const folders = async () =>
    (await readdir(tmpdir())).filter((name) => /^toolkeep-\w{6}$/.test(name)).length;
  const before = [openSockets(), await folders()];
  for (let round = 0; round < 20; round += 1) {
    const { stdin, stdout, stderr, exited } = await start({ argv: ["cat"] });
    await stdin.close();
    await Promise.all([textOf(stdout), textOf(stderr), exited]);
  }
  await expect.poll(async () => [openSockets(), await folders()]).toEqual(before);
});
