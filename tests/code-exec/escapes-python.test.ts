import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { CodeOutcome } from "@toolkeep/core/ports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeExecTool } from "../../packages/tools/src/code-exec/code-exec-tool.ts";
import { commandBench, request } from "../tools/command-bench.ts";

const PYTHON = "/usr/bin/python3";
const SECRET = "the-secret-of-this-test-6f1d";
const PROBES = readFileSync(join(import.meta.dirname, "probes.py"), "utf8");

let bench: Awaited<ReturnType<typeof commandBench>>;
beforeAll(async () => {
  bench = await commandBench({ environment: { values: { ...process.env, PROBE_SECRET: SECRET } } });
});
afterAll(() => bench.close());

async function run(code: string, timeoutMs = 20_000): Promise<CodeOutcome> {
  await using session = await bench.session([codeExecTool()]);
  const { data, failure } = await session.call(request("code_exec", { code, timeoutMs }));
  expect(failure).toBeUndefined();
  return data as CodeOutcome;
}

/** What probes reach for: files, servers and a process of this test alone. */
async function stage() {
  const temporary = mkdtempSync(join(tmpdir(), "toolkeep-probes-"));
  chmodSync(temporary, 0o777);
  const shared = join("/dev/shm", basename(temporary));
  const file = join(temporary, "user.txt");
  const place = {
    project: bench.root,
    project_file: join(bench.root, "secret.txt"),
    user_file: file,
    shared,
    temporary,
    temporary_name: basename(temporary),
    socket: join(temporary, "s"),
    abstract: basename(temporary),
    secret: SECRET,
    host: hostname(),
  };
  for (const path of [place.project_file, file, shared]) writeFileSync(path, SECRET, { mode: 0o644 });
  writeFileSync(join(bench.root, "probe_module.py"), `SECRET = "${SECRET}"\n`);
  const held = openSync(file, "r");
  const victim = spawn("/bin/sh", ["-c", "trap 'echo told' USR1; echo ready; while :; do sleep 0.05; done"], {
    stdio: [held, "pipe", "ignore"],
    env: { PROBE_SECRET: SECRET },
  });
  closeSync(held);
  let said = "";
  victim.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said).toContain("ready");
  let visits = 0;
  const listening = async (...at: [number, string] | [string]) => {
    const server = createServer((socket) => {
      visits += 1;
      socket.on("error", () => {});
    });
    server.listen(...(at as [string]));
    await once(server, "listening");
    return server;
  };
  const onLoopback = await listening(0, "127.0.0.1");
  const servers = [onLoopback, await listening(place.socket), await listening(`\0${place.abstract}`)];
  chmodSync(place.socket, 0o777);
  const written = ["project", "temporary"] as const;
  return {
    given: { ...place, victim: victim.pid, port: (onLoopback.address() as AddressInfo).port },
    /** What came of it, as this side sees it. */
    seen: () => ({
      visits,
      written: written.filter((name) => existsSync(join(place[name], "written"))),
      isTold: said.includes("told"),
    }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      victim.kill("SIGKILL");
      for (const path of [temporary, shared, place.project_file, join(bench.root, "written")])
        rmSync(path, { recursive: true, force: true });
    },
  };
}

const SEEN_AS_FILES = ["writing to the project", "writing to temporary files of the user"];

describe.skipIf(!existsSync(PYTHON))("a Python program (skipped without python3)", () => {
  test("[C56] reaches nothing outside of its sandbox, by thirty ways that all work without it", async () => {
    await using world = await stage();
    const program = `import json\ngiven = json.loads(${JSON.stringify(JSON.stringify(world.given))})\n${PROBES}\n`;
    const { value, error } = await run(`${program}results`);
    expect(error).toBeUndefined();
    const results: Readonly<Record<string, string>> = JSON.parse(value ?? "{}");
    const reached = Object.entries(results).filter(([, result]) => result === "reached");
    expect(reached).toEqual([]);
    expect(Object.keys(results).length).toBeGreaterThanOrEqual(30);
    expect(world.seen()).toEqual({ visits: 0, written: [], isTold: false });

    const bare = join(bench.root, "bare.py");
    writeFileSync(bare, `${program}print(json.dumps(results))`);
    const output = execFileSync(PYTHON, [bare], {
      cwd: bench.root,
      env: { PROBE_SECRET: SECRET },
      encoding: "utf8",
    });
    const missed = Object.entries(JSON.parse(output) as Record<string, string>).filter(
      ([name, result]) => result !== "reached" && !SEEN_AS_FILES.includes(name),
    );
    expect(missed).toEqual([]);
    await expect.poll(world.seen).toEqual({ visits: 4, written: ["project", "temporary"], isTold: true });
  });

  test("[C56] has bounds: processes, memory and the size of files; what it leaves running ends with it", async () => {
    const { value, error } = await run(`
import ctypes, os, time
name = ctypes.CDLL(None).prctl(15, b"tk-left-behind")
children = 0
try:
    while children < 500:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        children += 1
except OSError as error:
    stopped = type(error).__name__
try:
    held = [bytearray(100_000_000) for _ in range(40)]
except MemoryError as error:
    memory = type(error).__name__
try:
    with open("/tmp/large", "wb") as file:
        for _ in range(100):
            file.write(bytes(1_000_000))
except OSError as error:
    large = os.strerror(error.errno)
[stopped, children < 64, memory, large]
`);
    expect(error).toBeUndefined();
    expect(JSON.parse(value ?? "")).toEqual(["BlockingIOError", true, "MemoryError", "File too large"]);
    expect(processNames()).not.toContain("tk-left-behind");
  });

  test("[C56] that ignores signals ends with its time, and one that writes without end is stopped", async () => {
    const [busy, talking] = await Promise.all([
      run(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('begun', flush=True)\nwhile True: pass",
        900,
      ),
      run("while True: print('x' * 100_000)"),
    ]);
    expect(busy).toMatchObject({
      output: "begun\n",
      error: { message: "It took longer than 900 ms and was ended." },
    });
    expect(talking.error?.message).toContain("wrote more than");
    expect(talking.output.length).toBeLessThan(101_000);
  });
});

function processNames(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
      } catch {
        return "";
      }
    });
}
