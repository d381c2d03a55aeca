import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { startSpawner } from "../../../packages/node/src/processes/spawner.ts";
import { giveAway, layOut, report, run, WORKSPACE, withoutFilter } from "./stage.ts";

/* What can be reached from within the sandbox. Prints one line for each scene. Only ever started within the jail. */

const OUTSIDE = "/tmp/outside";
const KEY = "toolkeep:token";

const [mode = "", key] = process.argv.slice(2);
if (key === undefined) {
  // A session keyring with a key in it is handed on from process to process, as from a login.
  const start = `
import ctypes, os, platform, sys
join, add = (219, 217) if platform.machine() == "aarch64" else (250, 248)
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(join, 1, b"login")
key = libc.syscall(add, b"user", b"${KEY}", b"CANARY-OF-THE-KEYRING", 21, -3)
os.execv(sys.argv[1], sys.argv[1:] + ["with a key" if key > 0 else "without a key"])`;
  const node = [process.execPath, "--conditions=@toolkeep/source", "--no-warnings"];
  node.push(import.meta.filename, mode);
  const { status } = spawnSync("/usr/bin/python3", ["-c", start, ...node], { stdio: "inherit" });
  process.exit(status ?? 1);
}

layOut("probes.py");
mkdirSync(OUTSIDE);
chmodSync(OUTSIDE, 0o755);
writeFileSync(join(OUTSIDE, "secret.txt"), "CANARY");
const spawner = await startSpawner();
const server = createServer((socket) => socket.end("CANARY"));
const abstract = createServer((socket) => socket.end("CANARY")).listen("\0host-abstract");
const port = await new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
});

const PROBES = `python3 probes.py ${OUTSIDE} ${port}`;
report("probes", (await run(spawner, PROBES)).output.trim().split("\n"));
// What comes through then shows that tries can succeed.
report("probes, without a filter", (await run(spawner, PROBES, {}, withoutFilter)).output.trim().split("\n"));
report("files", (await run(spawner, "ls /proc/self/fd")).output.trim().split("\n"));
for (const [name, at] of Object.entries(await sockets())) report(`socket: ${name}`, at);
for (const [name, line] of Object.entries(mode === "programs too" ? programs() : {})) {
  const { output, exitCode } = await run(spawner, `cd /tmp && ${line}`);
  report(`program: ${name}`, exitCode === 0 ? "works" : output);
}
await spawner.close();
server.close();
abstract.close();

/** Sockets of services outside, in places that are looked through, that are not, and under a protected name. */
async function sockets(): Promise<Record<string, string>> {
  const directories = [
    ".devenv/run/db.sock",
    "node_modules/.cache/daemon.sock",
    ".git/fsmonitor--daemon.ipc",
    ".mcp.json",
  ];
  const reached = new Set<string>();
  const servers = directories.map((name) => {
    const path = join(WORKSPACE, name);
    mkdirSync(dirname(path), { recursive: true });
    const service = createServer((socket) => {
      reached.add(name);
      socket.end("CANARY");
    });
    return { service, path };
  });
  for (const { service, path } of servers)
    await new Promise<void>((resolve) => service.listen(path, resolve));
  for (const { path } of servers) {
    chmodSync(path, 0o777);
    giveAway(dirname(path));
  }
  const dial = (path: string) =>
    `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9))'`;
  const outcomes: Record<string, string> = {};
  for (const place of directories) {
    await run(spawner, dial(place));
    await run(spawner, dial(place), { read: [WORKSPACE], write: [] });
    outcomes[place] = reached.has(place) ? "reached" : "held";
  }
  const opened = join(WORKSPACE, directories[0] ?? "");
  await run(spawner, dial(opened), { read: [opened] });
  outcomes["named by the call"] = reached.has(directories[0] ?? "") ? "reached" : "held";
  for (const { service } of servers) service.close();
  const own = `import socket, threading; s = socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen()
threading.Thread(target=lambda: s.accept()[0].send(b"own")).start()
c = socket.socket(socket.AF_UNIX); c.connect("own.sock"); print(c.recv(9))`;
  outcomes["of the command itself"] = (await run(spawner, `python3 -c '${own}'`)).output.trim();
  outcomes["left by the last command"] = (await run(spawner, "rm own.sock && echo removed")).output.trim();
  return outcomes;
}

function programs(): Record<string, string> {
  const worker = `new (require("node:worker_threads").Worker)("process.exit(0)", { eval: true })`;
  return {
    node: `node -e '${worker}; require("node:fs").readFile("/etc/passwd", () => {}); require("node:child_process").execSync("true")'`,
    npm: `mkdir p && cd p && echo '{"scripts":{"test":"node --test"}}' > package.json && echo 'require("node:test").test("a", () => {})' > a.test.js && npm test`,
    git: "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a && git log && git gc -q",
    python: `python3 -c 'import multiprocessing as m, subprocess, threading; subprocess.run(["true"], check=True); t = threading.Thread(target=print); t.start(); t.join(); p = m.Process(target=print); p.start(); p.join(); print(m.Pool(2).map(abs, [1]))'`,
    make: `mkdir c && cd c && printf '#include <pthread.h>\\n#include <stdio.h>\\nvoid *f(void *a) { return a; }\\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); FILE *p = popen("true", "r"); return pclose(p); }\\n' > a.c && printf 'a: a.c\\n\\tgcc -o a a.c -pthread\\n' > Makefile && make -j4 && ./a`,
    bash: "bash -c 'set -m; sleep 0.1 & wait; echo <(true) | cat; exec 3<>/dev/null; coproc cat; kill %1; true' && timeout 5 xargs -P 4 -n 1 true <<< '1 2 3 4'",
    perl: `perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die; fork; wait'`,
  };
}
