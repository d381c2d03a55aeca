import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createWeb } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Place } from "./open-place.ts";
import { hasPlaces, run, start, testPlace, until } from "./place.test.kit.ts";
import type { Want } from "./place-protocol.ts";

/** Of several attempts the fastest counts: on a busy machine any one of them may wait for a core. */
const QUICK_MS = 50;
const ATTEMPTS = 5;
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe.skipIf(!hasPlaces)("a run in a place", () => {
  let one: ReturnType<typeof testPlace>;
  let place: Place;

  beforeAll(async () => {
    one = testPlace();
    place = await one.open();
  });
  afterAll(() => one[Symbol.asyncDispose]());

  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["[2606:2800::1]", "2606:2800::1"],
    ["a.example", "a.example"],
  ])("wants %s, and is refused quickly", async (written, host) => {
    const attempts = [];
    for (let i = 0; i < ATTEMPTS; i++) {
      const { output, wants } = await run(place, connecting(host, 4_433));
      expect(wants).toEqual([wanted(host, 4_433)]);
      const [, word, ms] = /^(\w+) (\d+)$/m.exec(output) ?? [];
      expect(word, written).toBe("ECONNREFUSED");
      attempts.push(Number(ms));
    }
    expect(Math.min(...attempts)).toBeLessThan(QUICK_MS);
  });

  test("wants what it sends datagrams to, and hears that the port is closed", async () => {
    const sending = python(`
import socket
for family, host in ((socket.AF_INET, "203.0.113.9"), (socket.AF_INET6, "2606:2800::1")):
    s = socket.socket(family, socket.SOCK_DGRAM); s.connect((host, 99)); s.send(b"x"); s.settimeout(3)
    try: s.recv(1)
    except ConnectionRefusedError: print("refused")
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.10", 53))
`);
    const { output, wants } = await run(place, sending);
    expect(output).toBe("refused\nrefused\n");
    expect(wants).toEqual([
      wanted("203.0.113.9", 99, "udp"),
      wanted("2606:2800::1", 99, "udp"),
      wanted("203.0.113.10", 53, "udp"),
    ]);
  });

  test("wants only what is its own, whatever others want at the same time", async ({ skip }) => {
    const pair = "unshare --user --map-root-user --net ip link add one type veth peer name two";
    skip(spawnSync("sh", ["-c", pair]).status !== 0, "the system makes no pair of devices");
    const hostsOf = (number: number) => [`203.0.113.${number}`, `2606:2800::${number}`, "same.example"];
    const numbers = [1, 2, 3, 4, 5, 6];
    const reaching = (number: number) => hostsOf(number).map((host) => connecting(host, 1_000 + number));
    const runs = await Promise.all(numbers.map((number) => run(place, reaching(number).join("; "))));
    expect(runs.map(({ wants }) => wants)).toEqual(
      numbers.map((number) => hostsOf(number).map((host) => wanted(host, 1_000 + number))),
    );
  });

  test("reaches the server of another one, which is also on the loopback of the user until it ends", async () => {
    const free = await webServer("127.0.0.1");
    const { port } = free;
    await free[Symbol.asyncDispose]();
    const serve = `python3 -m http.server ${port} --bind 127.0.0.1 >/dev/null 2>&1`;
    const ready = `until curl -s -o /dev/null 127.0.0.1:${port}; do sleep 0.05; done`;
    expect((await run(place, `${serve} & ${ready}`)).alive).toHaveLength(1);
    const read = await run(place, `curl -s -o /dev/null -w '%{http_code}' http://localhost:${port}/`);
    expect(read).toMatchObject({ output: "200", wants: [] });
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    await run(place, `pkill -f 'http.server ${port}' -o`);
    await until(async () => !(await isTaken(port)));
  });

  test("does not reach a service of the user unasked, finds its port taken, and reaches it when it may", async () => {
    await using web = await webServer("127.0.0.1");
    const fetching = `curl -s -m 5 http://127.0.0.1:${web.port}/; echo`;
    const refused = { output: "\n", wants: [{ kind: "loopback", port: web.port }] };
    expect(await run(place, fetching)).toMatchObject(refused);
    const taken = await run(place, listening(web.port));
    expect(taken).toMatchObject({ output: "EADDRINUSE\n", wants: [] });
    expect(web.requests).toBe(0);
    const allowed = await start(place, `sleep 0.3; ${fetching}`, { ports: [web.port] });
    expect(await run(place, fetching)).toMatchObject(refused);
    expect(await allowed.ended).toMatchObject({ output: "told\n", wants: [] });
    expect(web.requests).toBe(1);
  });

  test.skipIf(own === undefined)("reaches a host at its port, and another run does not", async () => {
    const host = own ?? "";
    await using web = await webServer(host);
    const at = `http://${host}:${web.port}/`;
    const hosts = [{ host, port: web.port }];
    const line = `curl -s ${at}; sleep 0.5; curl -s ${at}; ${connecting(host, 9)}`;
    const allowed = await start(place, line, { hosts });
    const other = await run(place, `curl -s ${at}`);
    expect(other).toMatchObject({ output: "", wants: [wanted(host, web.port)] });
    const { output, wants } = await allowed.ended;
    expect(output).toMatch(/^toldtoldECONNREFUSED/);
    expect(wants).toEqual([wanted(host, 9)]);
    expect(web.requests).toBe(2);
  });

  test("does not reach this machine by a name that it may reach", async () => {
    await using web = await webServer("127.0.0.1");
    // The system resolves every name beneath it to loopback.
    const hosts = [{ host: "ip6-localhost", port: web.port }];
    const { output } = await run(place, `curl -s -m 5 http://ip6-localhost:${web.port}/`, { hosts });
    expect({ output, requests: web.requests }).toEqual({ output: "", requests: 0 });
  });

  test("cannot use the address of another's host, which it may guess", async () => {
    const hosts = [{ host: "allowed.example", port: 443 }];
    const asking = await start(place, "getent ahostsv4 allowed.example | head -n 1; sleep 1", { hosts });
    let address: string | undefined;
    asking.child.stdout?.on("data", (chunk: string) => {
      address ??= /198\.19\.\S+/.exec(chunk)?.[0];
    });
    await until(() => address !== undefined);
    const { output, wants } = await run(place, connecting(address ?? "", 443));
    expect({ output, wants }).toEqual({
      output: expect.stringMatching(/^(?:reset|ECONNRESET) /),
      wants: [wanted("allowed.example", 443)],
    });
    expect((await asking.ended).wants).toEqual([]);
  });

  test("wants the decoys that it reads or connects to, and none that it only sees", async () => {
    const decoys = [
      { path: "/tmp/toolkeep-decoy", kind: "file" },
      { path: "/tmp/toolkeep-decoys", kind: "folder" },
      { path: "/tmp/toolkeep-decoy.sock", kind: "socket" },
    ] as const;
    const look = "ls -l /tmp/ | grep -c toolkeep-decoy; stat /tmp/toolkeep-decoy* >/dev/null";
    const connect = python(`
import socket
s = socket.socket(socket.AF_UNIX); s.connect("/tmp/toolkeep-decoy.sock"); print(s.recv(1))`);
    const read = `cat /tmp/toolkeep-decoy; ls /tmp/toolkeep-decoys; ${connect}; > /tmp/toolkeep-decoy`;
    const [looked, { output, wants }] = await Promise.all([
      run(place, look, { decoys }),
      run(place, read, { decoys }),
    ]);
    expect(looked.wants).toEqual([]);
    expect(output).toMatch(/^\nb''\n.*Read-only/s);
    const kinds: Want["kind"][] = ["secret", "secret", "socket"];
    expect(wants).toEqual(decoys.map(({ path }, index) => ({ kind: kinds[index], path })));
  });

  test("wants one file of a folder of decoys that has the names of the real one", async () => {
    const path = join(one.base, "secrets");
    mkdirSync(join(path, "keys"), { recursive: true });
    for (const name of ["id", "keys/one", "keys/with\nline"]) writeFileSync(join(path, name), "real");
    const decoys = [{ path, kind: "folder" }] as const;
    const { output, wants } = await run(place, `cat ${path}/keys/one; stat -c %s ${path}/id`, { decoys });
    expect({ output, wants }).toEqual({
      output: "\n1\n",
      wants: [{ kind: "secret", path: `${path}/keys/one` }],
    });
    const listed = await run(place, `ls ${path}/keys`, { decoys });
    expect(listed).toMatchObject({ output: "one\n", wants: [{ kind: "secret", path: `${path}/keys` }] });
  });
});

describe.skipIf(!hasPlaces)("a hostile command in a place", () => {
  test("finds neither the socket of the keeper nor any of its processes, and cannot end the place", async () => {
    await using one = testPlace();
    const place = await one.open();
    const look = `ls ${one.folder} 2>&1; grep -c control /proc/net/unix; find /proc/sys -type f -writable | wc -l`;
    const { output } = await run(place, `${look}; kill -9 1; kill -9 -1; echo unreached`, { hide: one.base });
    expect(output).toMatch(/cannot access/);
    expect(output).toMatch(/^0\n0$/m);
    expect((await run(place, "echo lives")).output).toBe("lives\n");
  });

  test("cannot keep the keeper busy with connections, names and datagrams", async () => {
    await using one = testPlace();
    await using web = await webServer("127.0.0.1");
    const place = await one.open();
    const flood = await start(
      place,
      python(`
import os, socket, time
end = time.time() + 4
for number in range(3): os.fork()
at = 0
while time.time() < end:
    at += 1
    for host, port in (("127.0.0.1", ${web.port}), ("203.0.113.1", at % 60000 + 1)):
        s = socket.socket(); s.setblocking(False); s.connect_ex((host, port)); s.close()
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.sendto(b"x", ("203.0.113.2", at % 60000 + 1)); u.close()
    try: socket.getaddrinfo("n%d.example" % at, 1)
    except OSError: pass
`),
    );
    const began = performance.now();
    const honest = await run(place, "echo works");
    expect(honest.output).toBe("works\n");
    expect(performance.now() - began).toBeLessThan(5_000);
    const { wants } = await flood.ended;
    // The last one stands for all that are not listed.
    expect(wants.length).toBeLessThanOrEqual(257);
    expect((await run(place, connecting("203.0.113.9", 1))).wants).toContainEqual(wanted("203.0.113.9", 1));
  });

  test("takes no more than some ports of the user's loopback, and none that only root may have", async () => {
    await using one = testPlace();
    const place = await one.open();
    // No other test is given one of these ports.
    const first = 21_000;
    const listen = python(`
import socket, time
kept = []
for port in range(${first}, ${first} + 200):
    s = socket.socket(); s.bind(("127.0.0.1", port)); s.listen(); kept.append(s)
print("listens", flush=True)
time.sleep(60)`);
    expect((await run(place, `${listen} & sleep 1`)).output).toBe("listens\n");
    const count = async () => {
      const reached = await Promise.all([...Array(200).keys()].map((at) => isTaken(first + at)));
      return reached.filter(Boolean).length;
    };
    await until(async () => (await count()) > 32);
    expect(await count()).toBeLessThanOrEqual(64);
  });
});

function wanted(host: string, port: number, protocol: "tcp" | "udp" = "tcp"): Want {
  return { kind: "host", host, port, protocol };
}

function python(text: string): string {
  return `python3 -c '${text}'`;
}

/** Says what came of it, and after how many milliseconds. */
function connecting(host: string, port: number): string {
  return python(`
import errno, socket, time
address = socket.getaddrinfo("${host}", ${port}, type=socket.SOCK_STREAM)[0]
s = socket.socket(address[0]); s.settimeout(5); began = time.time(); code = s.connect_ex(address[4])
word = errno.errorcode.get(code, str(code))
if code == 0:
    try: word = "closed" if s.recv(1) == b"" else "connected and kept"
    except ConnectionResetError: word = "reset"
    except TimeoutError: word = "connected and kept"
print(word, round((time.time() - began) * 1000))`);
}

function listening(port: number): string {
  return python(`
import errno, socket
s = socket.socket()
try: s.bind(("0.0.0.0", ${port})); s.listen(); print("listens")
except OSError as e: print(errno.errorcode[e.errno])`);
}

async function webServer(host: string) {
  let requests = 0;
  const server = createWeb((_request, response) => {
    requests += 1;
    response.setHeader("connection", "close").end("told");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isTaken(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(true));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
  return promise;
}
