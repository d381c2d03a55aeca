import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { guardedNetwork } from "./guarded-network.ts";
import { failureOf } from "./testing/failure-of.test.kit.ts";
import { openStage } from "./testing/open-stage.test.kit.ts";

let sent: { readonly coding?: string; readonly body: Uint8Array; readonly status?: number };

const stage = await openStage((_request, response) => {
  const { coding, body, status = 200 } = sent;
  response.writeHead(status, coding === undefined ? {} : { "content-encoding": coding }).end(body);
});
afterAll(() => stage.server.close());
afterEach(() => {
  vi.useRealTimers();
});

const TEXT = "text, and more text. ".repeat(1_000);
const CODINGS: readonly (readonly [string, (text: string) => Uint8Array])[] = [
  ["gzip", gzipSync],
  ["X-GZIP", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["identity", Buffer.from],
];

describe("a body", () => {
  test.each(CODINGS)("that comes as %s is passed on as it was", async (coding, pack) => {
    sent = { coding, body: pack(TEXT) };
    const { text, headers } = await stage.fetch({});
    expect(text).toBe(TEXT);
    expect(headers["content-encoding"]).toBe(coding === "identity" ? "identity" : undefined);
  });

  test.each(CODINGS)(
    "that comes as %s is given up to its bound and not a byte more",
    async (coding, pack) => {
      sent = { coding, body: pack(TEXT) };
      expect((await stage.fetch({ maxBytes: TEXT.length })).text).toBe(TEXT);
      const { value } = await stage.within(async (grant) => {
        const { body } = await guardedNetwork(grant, stage.settings).fetch({
          url: `${stage.origin}/`,
          maxBytes: TEXT.length - 1,
        });
        let size = 0;
        const reading = async () => {
          for await (const chunk of body) size += chunk.byteLength;
        };
        return { failure: await failureOf(reading()), size };
      });
      expect(value.failure.code).toBe("too_large");
      expect(value.size).toBe(TEXT.length - 1);
    },
  );

  test("is counted on the wire as well: a coding may need many bytes for nothing", async () => {
    const nothing = gzipSync("");
    sent = { coding: "gzip", body: Buffer.concat(Array.from({ length: 10_000 }, () => nothing)) };
    expect((await stage.refusal({ maxBytes: 10_000 })).code).toBe("too_large");
  });

  test.each(["gzip, gzip", "gzip, br", "compress", "toString", "gzip, identity, gzip"])(
    "is refused for the coding %j",
    async (coding) => {
      sent = { coding, body: gzipSync(gzipSync(TEXT)) };
      expect((await stage.refusal({})).code).toBe("unavailable");
    },
  );

  test.each(CODINGS.slice(0, 5))("that is broken off in the middle of %s fails", async (coding, pack) => {
    sent = { coding, body: pack(TEXT).subarray(0, -4) };
    expect((await stage.refusal({})).code).toBe("unavailable");
  });

  test.each(CODINGS.slice(0, 5))("that is no %s at all fails", async (coding) => {
    sent = { coding, body: Buffer.from("plain text, nothing else") };
    const failure = await stage.refusal({});
    expect(failure.message).toMatch(/cannot be decompressed/);
  });

  test("that does not come, comes to nothing", async () => {
    sent = { coding: "gzip", body: new Uint8Array(), status: 204 };
    expect((await stage.fetch({})).text).toBe("");
    sent = { coding: "gzip", body: gzipSync(TEXT) };
    const head = await stage.fetch({ method: "HEAD" });
    expect([head.text, head.headers["content-encoding"]]).toEqual(["", "gzip"]);
  });

  test("that is no longer wanted ends the connection", async () => {
    sent = { body: Buffer.alloc(5_000_000) };
    await stage.within(async (grant) => {
      const { body } = await guardedNetwork(grant, stage.settings).fetch({ url: `${stage.origin}/` });
      const reader = body.getReader();
      expect((await reader.read()).done).toBe(false);
      await reader.cancel();
      expect(await reader.read()).toEqual({ done: true, value: undefined });
    });
  });

  test("that is not read is released when its time is over, and nothing is thrown at the process", async () => {
    for (const coding of [undefined, "gzip"]) {
      sent = {
        body: coding === undefined ? Buffer.alloc(5_000_000) : gzipSync(TEXT),
        ...(coding && { coding }),
      };
      const { value } = await stage.within(async (grant) => {
        const network = guardedNetwork(grant, stage.settings);
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
        const { body } = await network.fetch({ url: `${stage.origin}/`, timeoutMs: 100 });
        vi.advanceTimersByTime(100);
        vi.useRealTimers();
        return failureOf(body.getReader().read());
      });
      expect(value.code).toBe("timed_out");
    }
  });
});
