import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { guardedNetwork } from "./guarded-network.ts";
import type { NetworkBounds } from "./network-settings.ts";
import { type NetworkAttack, readAttacks } from "./testing/attack-record.test.kit.ts";
import { failureOf } from "./testing/failure-of.test.kit.ts";
import { openServer } from "./testing/loopback-server.test.kit.ts";
import { withGrant } from "./testing/with-grant.test.kit.ts";

const MEGABYTE = 1_000_000;
const MAX_BYTES = 10 * MEGABYTE;
const NESTED = "<div>".repeat(100_000);
const LAUGHS = `<!DOCTYPE l [<!ENTITY a "lol">${"<!ENTITY b '&a;&a;'>".repeat(30)}]><l>&b;</l>`;

const gzipBomb = await packed(createGzip(), 200);
const brotliBomb = await packed(
  createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  1_000,
);

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/bomb": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipBomb),
  "/brbomb": (response) => response.writeHead(200, { "content-encoding": "br" }).end(brotliBomb),
  "/slow": (response) => repeat(response, 40, () => response.write(".")),
  "/hdr": (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(125_000)}\r\n`),
  "/endless": (response) => repeat(response, 0, () => response.write(Buffer.alloc(65_536))),
  "/nested": (response) => response.end(NESTED),
  "/xml": (response) => response.end(LAUGHS),
};

const server = await openServer((request, response) => ANSWERS[request.url ?? ""]?.(response));
afterAll(() => server.close());

const ATTACKS = readAttacks("net-limits", 1);

describe("answers without an end", () => {
  test.each(ATTACKS.map((attack) => [attack.id, attack.must.invariant, attack] as const))(
    "%s %s",
    async (id, _invariant, attack) => {
      const check = CHECKS[id];
      if (check === undefined) throw new Error(`nothing is checked of ${id}`);
      await check(attack);
    },
  );

  test("are 7, each with a check", () => {
    expect(ATTACKS.map(({ id }) => id)).toEqual(Object.keys(CHECKS));
  });
});

type Check = (attack: NetworkAttack) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  NL001: stopsAtTheCap,
  NL002: stopsAtTheCap,
  /** Each byte comes long before the idle time is over. */
  async NL003(attack) {
    let received = 0;
    // A machine that stands still receives nothing in a short time.
    for (const timeoutMs of [400, 4_000, 20_000]) {
      if (received > 1) break;
      const began = performance.now();
      const { size, failure } = await read(attack, { timeoutMs, idleTimeoutMs: 90_000 });
      expect(failure).toMatchObject({ code: "timed_out", transient: true });
      expect(performance.now() - began).toBeLessThan(80_000);
      received = size;
    }
    expect(received).toBeGreaterThan(1);
  },
  async NL004(attack) {
    const { failure, size } = await read(attack);
    expect([failure?.code, size]).toEqual(["too_large", 0]);
  },
  NL005: stopsAtTheCap,
  /** The bytes are passed on as they are: nothing here interprets them. */
  async NL006(attack) {
    expect(await read(attack)).toMatchObject({ size: NESTED.length, failure: undefined });
  },
  async NL007(attack) {
    expect(await read(attack)).toMatchObject({ size: LAUGHS.length, failure: undefined });
  },
};

/** Not a byte more than the cap is given, and there is never much more than that in memory. */
async function stopsAtTheCap(attack: NetworkAttack): Promise<void> {
  const { size, failure, grown } = await read(attack);
  expect(failure?.code).toBe("too_large");
  expect(size).toBe(MAX_BYTES);
  expect(grown).toBeLessThan(64 * MEGABYTE);
}

async function read({ input }: NetworkAttack, bounds: Partial<NetworkBounds> = {}) {
  const settings = {
    privateHosts: [`pub.example.test:${server.port}`],
    resolve: async () => ["127.0.0.1"],
    bounds: { maxBytes: MAX_BYTES, ...bounds },
  };
  const url = input.url.replace("pub.example.test", `pub.example.test:${server.port}`);
  const { value } = await withGrant({ net: { hosts: ["*"] } }, async (grant) => {
    let size = 0;
    const before = process.memoryUsage().rss;
    let most = before;
    const reading = async () => {
      const { body } = await guardedNetwork(grant, settings).fetch({ url });
      for await (const chunk of body) {
        size += chunk.byteLength;
        most = Math.max(most, process.memoryUsage.rss());
      }
    };
    const failure = await failureOf(reading()).catch(() => undefined);
    return { size, failure, grown: most - before };
  });
  return value;
}

async function packed(packer: NodeJS.ReadWriteStream, megabytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(MEGABYTE);
  const chunks: Buffer[] = [];
  packer.on("data", (chunk: Buffer) => chunks.push(chunk));
  await pipeline(Readable.from(Array.from({ length: megabytes }, () => zeros)), packer);
  return Buffer.concat(chunks);
}

/** Does something again and again until the other side is gone. */
function repeat(response: ServerResponse, everyMs: number, act: () => void): void {
  response.writeHead(200);
  const timer = setInterval(() => {
    if (response.writableNeedDrain) return;
    act();
  }, everyMs);
  response.on("close", () => clearInterval(timer));
}
