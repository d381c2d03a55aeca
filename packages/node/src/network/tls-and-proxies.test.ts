import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect as dialPlain, type Socket } from "node:net";
import type { NetworkRequest } from "@toolkeep/core/ports";
import { afterAll, describe, expect, test } from "vitest";
import { guardedNetwork } from "./guarded-network.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { failureOf, textOf } from "./testing/failure-of.test.kit.ts";
import { openServer } from "./testing/loopback-server.test.kit.ts";
import { selfSigned } from "./testing/self-signed.test.kit.ts";
import { withGrant } from "./testing/with-grant.test.kit.ts";

const certificate = selfSigned(["one.test"]);
const plain = await openServer((_request, response) => response.end("plain"));
const secure = await openServer(
  (request, response) => response.end(`secure ${request.httpVersion}`),
  certificate,
);
const proxy = await openProxy();
afterAll(() => Promise.all([plain.close(), secure.close(), proxy.close()]));

const PLAIN_URL = `http://one.test:${plain.port}/`;
const SECURE_URL = `https://one.test:${secure.port}/`;
const SETTINGS: NetworkSettings = {
  privateHosts: ["one.test:*", "two.test:*"],
  resolve: async () => ["127.0.0.1"],
  certificates: [certificate.cert],
};

async function fetched(request: NetworkRequest, more: NetworkSettings = {}): Promise<string> {
  const { value } = await withGrant({ net: { hosts: ["*"] } }, async (grant) =>
    textOf((await guardedNetwork(grant, { ...SETTINGS, ...more }).fetch(request)).body),
  );
  return value;
}

describe("a secure connection", () => {
  test("speaks HTTP/1.1 with a server whose certificate is trusted, though it offers HTTP/2", async () => {
    expect(await fetched({ url: SECURE_URL })).toBe("secure 1.1");
  });

  test("is refused for a certificate that is not, also when the environment would let it pass", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const { certificates: _, ...untrusting } = SETTINGS;
      const { value } = await withGrant({ net: { hosts: ["*"] } }, (grant) =>
        failureOf(guardedNetwork(grant, untrusting).fetch({ url: SECURE_URL })),
      );
      expect(value.message).toMatch(/certificate of one\.test is not trusted/);
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  test("is refused for a certificate of another host", async () => {
    const failure = await failureOf(fetched({ url: SECURE_URL.replace("one.test", "two.test") }));
    expect(failure.message).toMatch(/certificate of two\.test is not trusted/);
  });
});

describe("a proxy", () => {
  const named = { http: proxy.url, https: proxy.url };
  const unknown: NetworkSettings = { resolve: () => Promise.reject(new Error("unknown here")) };

  test("is used when it is named: plain requests are forwarded, secure ones go through a tunnel", async () => {
    expect(await fetched({ url: PLAIN_URL }, { proxy: named })).toBe("plain");
    expect(proxy.taken()).toEqual([`GET ${PLAIN_URL}`]);
    expect(await fetched({ url: SECURE_URL }, { proxy: named })).toBe("secure 1.1");
    expect(proxy.taken()).toEqual([`CONNECT one.test:${secure.port}`]);
  });

  test("for one scheme is not used for the other", async () => {
    expect(await fetched({ url: SECURE_URL }, { proxy: { http: proxy.url } })).toBe("secure 1.1");
    expect(await fetched({ url: PLAIN_URL }, { proxy: { https: proxy.url } })).toBe("plain");
    expect(proxy.taken()).toEqual([]);
  });

  test("of the environment is used only if the host application says so, and not for the hosts it excludes", async () => {
    const names = {
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      HTTP_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1",
    };
    await withEnvironment(names, async () => {
      for (const url of [PLAIN_URL, SECURE_URL]) await fetched({ url });
      expect(proxy.taken()).toEqual([]);
      await fetched({ url: PLAIN_URL }, { proxy: "environment" });
      expect(proxy.taken()).toEqual([`GET ${PLAIN_URL}`]);
    });
    await withEnvironment({ ...names, no_proxy: "one.test" }, async () => {
      await fetched({ url: PLAIN_URL }, { proxy: "environment" });
      expect(proxy.taken()).toEqual([]);
    });
  });

  test("is not asked for a host that is known here to be private", async () => {
    const attempts: readonly (readonly [string, NetworkSettings])[] = [
      ["http://10.0.0.1/", unknown],
      ["http://[::1]/", unknown],
      ["http://localhost/", unknown],
      ["http://metadata.google.internal/", unknown],
      ["http://inner.test/", { resolve: async () => ["10.0.0.1"] }],
    ];
    for (const [url, more] of attempts)
      expect((await failureOf(fetched({ url }, { proxy: named, ...more }))).code).toBe("out_of_scope");
    expect(proxy.taken()).toEqual([]);
  });

  test("is asked for a name that only it can resolve", async () => {
    expect(await fetched({ url: PLAIN_URL }, { proxy: named, ...unknown })).toBe("plain");
    expect(proxy.taken()).toEqual([`GET ${PLAIN_URL}`]);
  });

  test("that does not answer, or refuses, is a failure", async () => {
    const gone = { http: "http://127.0.0.1:1", https: "http://127.0.0.1:1" };
    for (const url of [PLAIN_URL, SECURE_URL])
      expect((await failureOf(fetched({ url }, { proxy: gone }))).code).toBe("unavailable");
    const refusing = { https: `http://127.0.0.1:${plain.port}` };
    expect((await failureOf(fetched({ url: SECURE_URL }, { proxy: refusing }))).code).toBe("unavailable");
  });
});

/** A proxy that resolves every name to this machine. */
async function openProxy() {
  let taken: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    taken.push(`${request.method} ${request.url}`);
    void fetch(`http://127.0.0.1:${new URL(request.url ?? "").port}/`).then(async (answer) =>
      response.end(await answer.text()),
    );
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", (request, client: Socket) => {
    taken.push(`CONNECT ${request.url}`);
    const target = dialPlain(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(client).pipe(target);
    });
    for (const socket of [target, client]) sockets.add(socket.on("error", () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it was asked for since the last time. */
    taken() {
      const before = taken;
      taken = [];
      return before;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function withEnvironment(values: Record<string, string>, act: () => Promise<void>): Promise<void> {
  const before = new Map(Object.keys(values).map((name) => [name, process.env[name]]));
  Object.assign(process.env, values);
  try {
    await act();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
