import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connect } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { readClientHello } from "./client-hello.ts";
import { HelloGuard, TunnelRefused } from "./hello-guard.ts";

/** What a real client sends first. */
async function helloOf(servername: string): Promise<Buffer> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", ...(servername === "" ? {} : { servername }) });
  client.on("error", () => {});
  const [socket] = await once(server, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  server.close();
  return bytes as Buffer;
}

let good: Buffer;
let evil: Buffer;
beforeAll(async () => {
  [good, evil] = await Promise.all([helloOf("good.test"), helloOf("evil.test")]);
});

/** What is passed on of some bytes, or why they are refused. */
async function passed(...chunks: readonly Buffer[]): Promise<Buffer | string> {
  const guard = new HelloGuard(({ serverName, isEncrypted }) => {
    if (serverName !== "good.test" || isEncrypted) throw new TunnelRefused(`names ${serverName}`);
  });
  const out: Buffer[] = [];
  guard.on("data", (chunk: Buffer) => out.push(chunk));
  const failed = new Promise<string>((resolve) => guard.once("error", ({ message }) => resolve(message)));
  const ended = new Promise<Buffer>((resolve) => guard.once("end", () => resolve(Buffer.concat(out))));
  for (const chunk of chunks) guard.write(chunk);
  guard.end();
  return Promise.race([ended, failed]);
}

/** The same hello in records of so many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}

function record(type: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([type, 3, 3, bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

/** A hello with another extension; its lengths are right. */
function extended(hello: Buffer, type: number, content: Buffer): Buffer {
  const body = Buffer.from(hello.subarray(9));
  const session = body.readUInt8(34);
  const suites = body.readUInt16BE(35 + session);
  const at = 35 + session + 2 + suites + 2;
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(content.length, 2);
  const extensions = Buffer.concat([body.subarray(at + 2), head, content]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(extensions.length);
  const whole = Buffer.concat([body.subarray(0, at), length, extensions]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(whole.length);
  size.writeUInt8(1, 0);
  return record(22, Buffer.concat([size, whole]));
}

describe("a tunnel", () => {
  test("passes a hello for its host on, in one piece or byte by byte, in one record or in many", async () => {
    expect(await passed(good)).toEqual(good);
    expect(await passed(...[...good].map((byte) => Buffer.of(byte)))).toEqual(good);
    for (const size of [1, 3, 50, 200])
      expect(await passed(inRecords(good, size))).toEqual(inRecords(good, size));
  });

  test("passes everything on that follows", async () => {
    const rest = [record(20, "\x01"), record(23, Buffer.alloc(9_000, 1)), record(22, Buffer.alloc(40, 7))];
    const all = Buffer.concat([good, ...rest]);
    expect(await passed(all.subarray(0, 700), all.subarray(700, 705), all.subarray(705))).toEqual(all);
  });

  test("refuses a hello for another host, also in pieces", async () => {
    expect(await passed(evil)).toBe("names evil.test");
    for (const size of [1, 7, 100]) expect(await passed(inRecords(evil, size))).toBe("names evil.test");
  });

  test("refuses a later hello for another host", async () => {
    const early = record(23, "early data");
    expect(await passed(good, record(20, "\x01"), good)).toBeInstanceOf(Buffer);
    expect(await passed(good, record(20, "\x01"), evil)).toBe("names evil.test");
    expect(await passed(good, early, record(20, "\x01"), inRecords(evil, 64))).toBe("names evil.test");
    expect(await passed(good, inRecords(evil, 1))).toBe("was sent a handshake in pieces");
  });

  test("refuses a later hello for another host whatever version it names", async () => {
    for (const version of [0x02, 0x04, 0x7f, 0xff]) {
      const later = Buffer.from(evil);
      later[9] = version;
      expect(await passed(good, record(20, "\x01"), later)).toBe(
        version < 3 ? "was sent a ClientHello that cannot be read" : "names evil.test",
      );
    }
  });

  test("passes on what an older TLS sends after the hello, however its encrypted part begins", async () => {
    const exchange = record(22, Buffer.concat([Buffer.from([16, 0, 0, 33, 32]), Buffer.alloc(32, 9)]));
    const finished = record(22, Buffer.concat([Buffer.from([1, 0, 0, 9, 3, 3]), Buffer.alloc(34, 9)]));
    const all = Buffer.concat([good, exchange, record(20, "\x01"), finished]);
    expect(await passed(all)).toEqual(all);
  });

  test("refuses a hello with a part that only the server can read", async () => {
    expect(await passed(extended(good, 0xfe0d, Buffer.alloc(64)))).toBe("names good.test");
    expect(await passed(extended(good, 0x7777, Buffer.alloc(64)))).toBeInstanceOf(Buffer);
  });

  test("refuses a second name, in the same extension or in another", async () => {
    const names = Buffer.from("\x00\x0c\x00\x00\x09evil.test", "latin1");
    expect(await passed(extended(good, 0, names))).toBe("was sent a ClientHello that cannot be read");
  });

  test.each([
    ["plain text", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["an old hello", Buffer.from([0x80, 0x2e, 0x01, 0x03, 0x01])],
    ["data before a hello", record(23, "data")],
    ["another handshake message", record(22, Buffer.from([2, 0, 0, 2, 3, 3]))],
    ["an empty record", record(22, "")],
    ["a record that is too long", Buffer.from([22, 3, 1, 0xff, 0xff, 1])],
    ["a hello that is too long", record(22, Buffer.from([1, 0xff, 0xff, 0xff, 3, 3]))],
    [
      "a hello with more behind it in its record",
      () => record(22, Buffer.concat([good.subarray(5), Buffer.of(1)])),
    ],
    ["a hello that breaks off", () => good.subarray(0, 60)],
  ])("refuses %s", async (_name, bytes) => {
    expect(typeof (await passed(typeof bytes === "function" ? bytes() : bytes))).toBe("string");
  });

  test("takes nothing for a hello that was cut or changed in a length", () => {
    const body = good.subarray(9);
    expect(readClientHello(body)?.serverName).toBe("good.test");
    for (let end = 0; end < body.length; end += 1) {
      const read = readClientHello(body.subarray(0, end));
      expect(read?.serverName).toBeUndefined();
    }
  });
});
