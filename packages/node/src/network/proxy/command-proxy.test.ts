import { existsSync, readdirSync, statSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { type LoopbackServer, openServer } from "../testing/loopback-server.test.kit.ts";
import { selfSigned } from "../testing/self-signed.test.kit.ts";
import { CommandProxy, type CommandProxyOptions } from "./command-proxy.ts";

const certificate = selfSigned(["good.test", "evil.test"]);
let plain: LoopbackServer;
let secure: LoopbackServer;
/** Takes connections, and answers with what a test says. */
let raw: Server;
let rawAnswer = "";
const received: Buffer[] = [];
let folder: string;
let refused: string[];
let proxies: CommandProxy[];

beforeAll(async () => {
  plain = await openServer((request, response) =>
    response.end(`REACHED ${request.headers.host} ${request.url}`),
  );
  secure = await openServer((_request, response) => response.end("secure"), certificate);
  raw = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received.push(chunk);
      if (rawAnswer !== "") socket.end(rawAnswer);
    });
  });
  await new Promise<void>((done) => raw.listen(0, "127.0.0.1", done));
});

afterAll(async () => {
  await plain.close();
  await secure.close();
  raw.close();
});

beforeEach(() => {
  folder = temporaryFolder();
  refused = [];
  received.length = 0;
  rawAnswer = "";
  proxies = [];
});

afterEach(async () => {
  for (const proxy of proxies) await proxy.close();
  expect(readdirSync(folder)).toEqual([]);
});

function rawPort(): number {
  return (raw.address() as AddressInfo).port;
}

/** Names are on loopback here; the host application opens two of them, as it opens private hosts. */
async function socketOf(hosts: readonly string[], more: Partial<CommandProxyOptions> = {}): Promise<string> {
  const ports = [plain.port, secure.port, rawPort()];
  const proxy = new CommandProxy({
    ...{ hosts, folder },
    settings: {
      privateHosts: ["good.test", "evil.test"].flatMap((host) => ports.map((port) => `${host}:${port}`)),
      resolve: async () => ["127.0.0.1"],
    },
    onRefused: (host, reason) => refused.push(`${host} ${reason}`),
    ...more,
  });
  proxies.push(proxy);
  return join((await proxy.listen()).folder, "s");
}

/** Sends bytes as they are, and gives what comes back until the other side ends it or is silent. */
function exchanged(path: string, text: string | Buffer, waitMs = 300): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connectTo(path, () => socket.write(text));
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    let timer = setTimeout(end, 20_000);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(end, waitMs);
    });
    socket.on("error", end).on("close", end);
  });
}

function get(url: string, host = new URL(url).host): string {
  return `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

function connectLine(authority: string): string {
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
}

/** A socket behind a CONNECT. */
async function tunnelled(path: string, authority: string): Promise<Socket> {
  const socket = connectTo(path);
  socket.write(connectLine(authority));
  const answer = await new Promise<string>((resolve) =>
    socket.once("data", (chunk) => resolve(String(chunk))),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200/);
  return socket.on("error", () => {});
}

function overTls(socket: Socket, servername: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const name = servername === undefined ? {} : { servername };
    const tls = connectTls({ socket, ca: certificate.cert, checkServerIdentity: () => undefined, ...name });
    tls.once("secureConnect", () =>
      tls.write("GET / HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n"),
    );
    let answer = "";
    tls.on("data", (chunk) => {
      answer += String(chunk);
    });
    tls.once("error", reject);
    tls.once("close", () => resolve(answer));
  });
}

describe("the proxy of a command", () => {
  test("passes on plain requests and TLS for its hosts, patterns among them", async () => {
    const path = await socketOf(["good.test", "*.evil.test"]);
    const answer = await exchanged(path, get(`http://good.test:${plain.port}/a?b=1`));
    expect(answer).toContain(`REACHED good.test:${plain.port} /a?b=1`);
    expect(await overTls(await tunnelled(path, `good.test:${secure.port}`), "good.test")).toContain("secure");
    expect(refused).toEqual([]);
  });

  test("passes on a body that is sent in chunks, and says its length anew", async () => {
    const path = await socketOf(["good.test"]);
    const url = `http://good.test:${plain.port}/post`;
    const chunked = `POST ${url} HTTP/1.1\r\nHost: good.test:${plain.port}\r\nTransfer-Encoding: chunked\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nProxy-Authorization: Basic x\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    expect(await exchanged(path, chunked)).toContain("/post");
    const { body, headers } = plain.requests.at(-1) ?? {};
    expect(body).toBe("abc");
    expect(headers).not.toHaveProperty("x-hop");
    expect(headers).not.toHaveProperty("proxy-authorization");
  });

  test("takes plain requests through a tunnel, for the host of the tunnel alone", async () => {
    const path = await socketOf(["good.test", "evil.test"]);
    const host = `good.test:${plain.port}`;
    const through = (named: string) =>
      exchanged(path, `${connectLine(host)}GET /in HTTP/1.1\r\nHost: ${named}\r\nConnection: close\r\n\r\n`);
    expect(await through(host)).toContain(`REACHED ${host} /in`);
    expect(await through(`evil.test:${plain.port}`)).toContain("400 Bad Request");
  });

  test("opens a tunnel for programs that name its host in the first line alone, as older Python does", async () => {
    const path = await socketOf(["good.test"]);
    const host = `good.test:${plain.port}`;
    const through = (first: string) =>
      exchanged(path, `${first}\r\n\r\nGET /in HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await through(`CONNECT ${host} HTTP/1.0`)).toContain(`REACHED ${host} /in`);
    expect(await through(`CONNECT evil.test:${plain.port} HTTP/1.0`)).toContain("403");
    expect(await through(`CONNECT ${host} HTTP/1.0\r\nHost: ${host}\r\nHost: evil.test`)).toContain("400");
  });

  test("is open to the user of the command alone, and gone with it", async () => {
    const path = await socketOf(["good.test"]);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(statSync(join(path, "..")).mode & 0o077).toBe(0);
    const idle = await tunnelled(path, `good.test:${rawPort()}`);
    const closed = new Promise((resolve) => idle.once("close", resolve));
    await proxies[0]?.close();
    await closed;
    expect(existsSync(path)).toBe(false);
    expect(await exchanged(path, get(`http://good.test:${plain.port}/`))).toBe("");
  });
});

describe("with a proxy of the user", () => {
  /** Knows hosts that this machine does not, and takes those with a login alone. */
  async function withOuter<Value>(use: (url: string, asked: string[]) => Promise<Value>): Promise<Value> {
    const asked: string[] = [];
    const outer = createHttpServer((_request, response) => response.writeHead(405).end());
    outer.on("connect", ({ url = "", headers }, socket: Socket) => {
      asked.push(url);
      socket.on("error", () => {});
      if (headers["proxy-authorization"] !== `Basic ${Buffer.from("ada:p@ss").toString("base64")}`)
        return socket.end("HTTP/1.1 407 Login\r\n\r\n");
      const upstream = connectTo(Number(url.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(upstream).pipe(socket);
      });
      return upstream.on("error", () => socket.destroy());
    });
    await new Promise<void>((done) => outer.listen(0, "127.0.0.1", done));
    try {
      return await use(`http://ada:p%40ss@127.0.0.1:${(outer.address() as AddressInfo).port}`, asked);
    } finally {
      outer.close();
      outer.closeAllConnections();
    }
  }

  const unknown = () => Promise.reject(new Error("ENOTFOUND"));

  test("hosts are reached through it, and the others are refused before it is asked", async () => {
    await withOuter(async (url, asked) => {
      const privateHosts = [`good.test:${plain.port}`, `good.test:${secure.port}`];
      const settings = { proxy: { http: url, https: url }, privateHosts, resolve: unknown };
      const path = await socketOf(["good.test"], { settings });
      expect(await exchanged(path, get(`http://good.test:${plain.port}/x`))).toContain("REACHED");
      expect(await overTls(await tunnelled(path, `good.test:${secure.port}`), "good.test")).toContain(
        "secure",
      );
      expect(await exchanged(path, connectLine("evil.test:443"))).toMatch(/^HTTP\/1\.1 403/);
      expect(asked).toEqual([`good.test:${plain.port}`, `good.test:${secure.port}`]);
    });
  });

  test("a name that has a private address here is refused, and a refusal of the proxy is passed on", async () => {
    await withOuter(async (url, asked) => {
      const proxy = { http: url, https: url };
      const named = { proxy, resolve: async () => ["10.0.0.1"] };
      expect(
        await exchanged(await socketOf(["a.test"], { settings: named }), connectLine("a.test:443")),
      ).toMatch(/ 403 /);
      expect(asked).toEqual([]);
      const wrong = { proxy: { https: url.replace("ada", "eve") }, resolve: unknown };
      const answer = await exchanged(
        await socketOf(["a.test"], { settings: wrong }),
        connectLine("a.test:443"),
      );
      expect(answer).toMatch(/ 502 [\s\S]*407/);
    });
  });
});

describe("what a server answers", () => {
  test.each([
    ["a status that is none", "HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n"],
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["nothing", "\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nab"],
  ])("is an error for the program that asked if it is %s", async (_name, answer) => {
    rawAnswer = answer;
    const path = await socketOf(["good.test"]);
    expect(await exchanged(path, get(`http://good.test:${rawPort()}/`))).toMatch(
      /^(?:HTTP\/1\.1 502[\s\S]*)?$/,
    );
  });

  test("is passed on with any bytes that a header may have", async () => {
    rawAnswer =
      "HTTP/1.1 200 OK\r\nX-Odd: \u00e9\u00ff\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 2\r\n\r\nok";
    const path = await socketOf(["good.test"]);
    const answer = await exchanged(path, get(`http://good.test:${rawPort()}/`));
    expect(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*X-Odd[\s\S]*ok$/);
    expect(answer).not.toContain("X-Hop");
  });
});

describe("the proxy of a command refuses", () => {
  test.each([
    ["another host", "evil.test:443"],
    ["an address", "127.0.0.1:443"],
    ["an address in other digits", "2130706433:443"],
    ["an address in hexadecimal", "0x7f.1:443"],
    ["an address of IPv6", "[::1]:443"],
    ["localhost", "localhost:443"],
    ["where clouds answer with credentials", "169.254.169.254:80"],
    ["a name that begins like an allowed one", "good.test.evil.test:443"],
  ])("a tunnel to %s", async (_name, authority) => {
    const path = await socketOf(["good.test"]);
    expect(await exchanged(path, connectLine(authority))).toMatch(/^HTTP\/1\.1 403/);
    expect(refused).toEqual([expect.stringContaining("is not among the hosts")]);
  });

  test.each([
    ["localhost", ["localhost"], "localhost:443", /local name/],
    ["an address of this machine", ["127.0.0.1"], "127.0.0.1:443", /this machine itself/],
    ["where clouds answer with credentials", ["169.254.169.254"], "169.254.169.254:80", /clouds/],
    ["a name that has a private address", ["named.test"], "named.test:443", /this machine itself/],
    ["another port", ["good.test"], "good.test:22", /port 22 is not open/],
    ["an address, where all names are allowed", ["*"], "93.184.216.34:443", /not among the hosts/],
  ])(
    "%s, also if a call was allowed it, unless the host application names it",
    async (_name, hosts, to, reason) => {
      const path = await socketOf(hosts);
      expect(await exchanged(path, connectLine(to))).toMatch(/^HTTP\/1\.1 403/);
      expect(refused).toEqual([expect.stringMatching(reason)]);
    },
  );

  test("a name with a single private address, and asks for its addresses once", async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ["93.184.216.34", "127.0.0.1"];
    };
    const path = await socketOf(["rebind.test"], { settings: { resolve } });
    expect(await exchanged(path, connectLine("rebind.test:443"))).toMatch(/^HTTP\/1\.1 403/);
    expect(asked).toEqual(["rebind.test"]);
  });

  test.each([
    ["no address", "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n"],
    ["two hosts", `GET http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nHost: evil.test\r\n\r\n`],
    ["another host than its address", "GET http://good.test:PORT/ HTTP/1.1\r\nHost: evil.test:PORT\r\n\r\n"],
    ["a user in its address", "GET http://good.test:PORT@evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"],
    ["no host", "GET http://good.test:PORT/ HTTP/1.1\r\n\r\n"],
    ["another scheme", "GET ftp://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\n\r\n"],
    [
      "a length and a transfer coding",
      "POST http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil.test:PORT/ HTTP/1.1\r\nHost: evil.test:PORT\r\n\r\n",
    ],
    [
      "two lengths",
      "POST http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nContent-Length: 1\r\nContent-Length: 5\r\n\r\nabcde",
    ],
    [
      "a transfer coding in disguise",
      "POST http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    ],
    ["a folded header", "GET http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\n evil.test\r\n\r\n"],
    [
      "headers without end",
      `GET http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nX: ${"x".repeat(20_000)}`,
    ],
    [
      "an upgrade",
      "GET http://good.test:PORT/ HTTP/1.1\r\nHost: good.test:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ],
  ])("a request with %s", async (_name, text) => {
    const path = await socketOf(["good.test"]);
    const before = plain.requests.length;
    const answer = await exchanged(path, text.replaceAll("PORT", `${plain.port}`));
    expect(answer).toMatch(/^(?:HTTP\/1\.1 (?:400|403|431|501)[\s\S]*)?$/);
    expect(answer).not.toContain("REACHED");
    expect(plain.requests.length).toBe(before);
  });

  test("a request to another host behind an allowed one on the same connection", async () => {
    const path = await socketOf(["good.test"]);
    const first = get(`http://good.test:${plain.port}/one`).replace("Connection: close\r\n", "");
    const answer = await exchanged(path, first + get(`http://evil.test:${plain.port}/two`));
    expect(answer).toContain("/one");
    expect(answer).toContain("403 Forbidden");
    expect(answer).not.toContain("/two");
    expect(plain.requests.map(({ url }) => url)).not.toContain("/two");
  });

  test.each([
    ["names another host", "evil.test", /TLS in it names the host evil\.test/],
    ["names none", undefined, /TLS in it names no host/],
  ])("TLS that %s than the tunnel", async (_name, servername, reason) => {
    const path = await socketOf(["good.test", "evil.test"]);
    const before = secure.requests.length;
    const socket = await tunnelled(path, `good.test:${secure.port}`);
    await overTls(socket, servername ?? "").catch(() => {});
    expect(secure.requests.length).toBe(before);
    expect(refused).toEqual([expect.stringMatching(reason)]);
  });

  test("what is no TLS and no HTTP in a tunnel, and passes nothing of it on", async () => {
    const path = await socketOf(["good.test"]);
    const socket = await tunnelled(path, `good.test:${rawPort()}`);
    socket.write(Buffer.from([0x05, 0x01, 0x00]));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(received).toEqual([]);
    expect(refused).toEqual([expect.stringContaining("TLS alone")]);
  });

  test("more connections at once than a program needs", async () => {
    const path = await socketOf(["good.test"]);
    const sockets = Array.from({ length: 140 }, () => connectTo(path).on("error", () => {}));
    await Promise.all(
      sockets.slice(0, 128).map((socket) => new Promise((done) => socket.once("connect", done))),
    );
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(12);
    for (const socket of sockets) socket.destroy();
  });

  test("the socket of another command", async () => {
    const [mine, other] = [await socketOf(["good.test"]), await socketOf(["evil.test"])];
    expect(await exchanged(mine, get(`http://evil.test:${plain.port}/`))).toContain("403");
    expect(await exchanged(other, get(`http://good.test:${plain.port}/`))).toContain("403");
    expect(mine).not.toBe(other);
  });
});
