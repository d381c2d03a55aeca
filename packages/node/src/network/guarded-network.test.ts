import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";
import type { Grant } from "@toolkeep/core/ports";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { guardedNetwork } from "./guarded-network.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { failureOf, textOf } from "./testing/failure-of.test.kit.ts";
import { openStage } from "./testing/open-stage.test.kit.ts";
import { withGrant } from "./testing/with-grant.test.kit.ts";

const stage = await openStage((request, response) => {
  if (request.url === "/never") return;
  if (request.url === "/stops") return void response.writeHead(200).write("begun");
  response.setHeader("set-cookie", ["a=1", "b=2"]);
  if (request.url === "/large-headers") response.setHeader("x-large", "a".repeat(2_000));
  response.setHeader("X-Kind", "test");
  response.end(`${request.method} ${request.url}`);
});
const { server, settings, origin } = stage;
afterAll(() => server.close());

describe("a request", () => {
  test("[C67] gets its answer: address, status, flat headers and body", async () => {
    const answer = await stage.fetch({
      method: "post",
      path: "/a?b=c#d",
      body: "sent",
      headers: { "X-A": "b" },
    });
    expect(answer).toMatchObject({ url: `${origin}/a?b=c`, status: 200, text: "POST /a?b=c" });
    expect(answer.headers).toMatchObject({ "set-cookie": "a=1, b=2", "x-kind": "test" });
    expect(server.requests.at(-1)).toMatchObject({ method: "POST", body: "sent", headers: { "x-a": "b" } });
  });

  test("[C67] reaches a declared host alone, and what is refused is recorded", async () => {
    const before = server.requests.length;
    const { value, refused } = await withGrant({ net: { hosts: ["two.test"] } }, (grant) =>
      failureOf(guardedNetwork(grant, settings).fetch({ url: `${origin}/` })),
    );
    expect(value.code).toBe("out_of_scope");
    expect(refused).toEqual(["net.fetch one.test"]);
    expect(server.requests.length).toBe(before);
  });

  test("is not rerouted by the dispatcher of the process", async () => {
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new Agent({ connect: (_options, done) => done(new Error("rerouted"), null) }));
    try {
      expect((await stage.fetch({})).status).toBe(200);
    } finally {
      setGlobalDispatcher(before);
    }
  });

  test.each([
    ["Host", "other.test"],
    ["connection", "close"],
    ["Transfer-Encoding", "chunked"],
    ["content-length", "3"],
    ["upgrade", "websocket"],
    ["Proxy-Authorization", "Basic x"],
    ["expect", "100-continue"],
    ["te", "trailers"],
    [":authority", "other.test"],
    ["x\r\ny", "z"],
    ["x-a", "b\r\nx-injected: 1"],
    ["x-a", "b\nx-injected: 1"],
    ["x-a", "b\0"],
    ["x-a", "Ā"],
    ["", "b"],
  ])("may not set the header %j to %j", async (name, value) => {
    const before = server.requests.length;
    expect((await stage.refusal({ headers: { [name]: value } })).code).toBe("invalid_arguments");
    expect(server.requests.length).toBe(before);
  });

  test("may not set a header twice, nor more of them than fit", async () => {
    const twice = await stage.refusal({ headers: { Accept: "a", accept: "b" } });
    expect(twice.message).toBe("The header accept is there twice.");
    const large = await stage.refusal(
      { headers: { "x-a": "b".repeat(200) } },
      { bounds: { maxHeaderBytes: 100 } },
    );
    expect(large.code).toBe("invalid_arguments");
  });

  test.each(["CONNECT", "TRACE", "GET /x HTTP/1.1\r\nx:", "", "PÜT"])(
    "may not use the method %j",
    async (method) => {
      expect((await stage.refusal({ method })).code).toBe("invalid_arguments");
    },
  );

  test("reveals nothing of the path or the query when it fails", async () => {
    const refused = await stage.refusal({ url: "http://10.0.0.1/secret?token=CANARY" });
    const unknown = await stage.refusal({ path: "/CANARY" }, { resolve: async () => [] });
    for (const { message, hint = "" } of [refused, unknown])
      expect(message + hint).not.toMatch(/CANARY|secret/);
  });
});

describe("private hosts", () => {
  test("are reached by the name that was given, not by another with the same address", async () => {
    const url = `http://three.test:${server.port}/`;
    const failure = await stage.refusal({ url }, { ports: [server.port] });
    expect(failure.message).toBe(
      "This reaches three.test, which may not be connected to: its address is this machine itself.",
    );
    const literal = await stage.refusal(
      { url: `http://127.0.0.1:${server.port}/` },
      { ports: [server.port] },
    );
    expect(literal.code).toBe("out_of_scope");
  });

  test("may be addresses, which then match themselves and no name", async () => {
    const privateHosts = [`127.0.0.1:${server.port}`];
    expect((await stage.fetch({ url: `http://127.0.0.1:${server.port}/` }, { privateHosts })).status).toBe(
      200,
    );
    expect((await stage.refusal({}, { privateHosts, ports: [server.port] })).code).toBe("out_of_scope");
  });

  test("are reached at the ports that were given, or at any", async () => {
    expect((await stage.refusal({}, { privateHosts: ["one.test"] })).message).toContain(
      `port ${server.port}`,
    );
    expect((await stage.fetch({}, { privateHosts: ["ONE.test.:*"] })).status).toBe(200);
    expect((await stage.fetch({}, { privateHosts: ["one.test"], ports: [server.port] })).status).toBe(200);
  });

  test("are looked up by the system where no other resolver is given", async () => {
    const { value } = await stage.within(async (grant) => {
      const network = guardedNetwork(grant, { privateHosts: [`localhost:${server.port}`] });
      return textOf((await network.fetch({ url: `http://localhost:${server.port}/` })).body);
    });
    expect(value).toBe("GET /");
  });

  test("never match the address where a cloud keeps credentials", async () => {
    for (const address of ["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "0.0.0.0"]) {
      const failure = await stage.refusal({}, { resolve: async () => ["127.0.0.1", address] });
      expect(failure.code).toBe("out_of_scope");
    }
  });
});

describe("connections", () => {
  test("are used again within a call, and by no other call", async () => {
    const before = server.connections();
    const twice = async (grant: Grant) => {
      const network = guardedNetwork(grant, settings);
      for (const _ of [1, 2]) {
        await textOf((await network.fetch({ url: `${origin}/` })).body);
        // A connection is free a moment after its answer was read.
        await sleep(100);
      }
    };
    await stage.within(twice);
    expect(server.connections() - before).toBe(1);
    await stage.within(twice);
    expect(server.connections() - before).toBe(2);
  });

  test("are closed when the call is cancelled", async () => {
    const controller = new AbortController();
    await stage.within(async (given) => {
      const network = guardedNetwork({ ...given, abortSignal: controller.signal }, settings);
      await expect.poll(server.connected).toBe(0);
      await textOf((await network.fetch({ url: `${origin}/` })).body);
      expect(server.connected()).toBe(1);
      controller.abort();
      // It is closed at once, and an idle one only after seconds. Turns of the event loop are the same on a busy machine.
      for (let turns = 0; turns < 1_000 && server.connected() > 0; turns += 1) await nextTurn();
      expect(server.connected()).toBe(0);
    });
  });

  test("that are still open do not save a host from being checked", async () => {
    const { refused } = await withGrant({ net: { hosts: ["one.test"] } }, async (grant) => {
      const network = guardedNetwork(grant, settings);
      await textOf((await network.fetch({ url: `${origin}/` })).body);
      expect((await failureOf(network.fetch({ url: `${stage.elsewhere}/` }))).code).toBe("out_of_scope");
    });
    expect(refused).toEqual(["net.fetch two.test"]);
  });
});

test("headers that are larger than the bound are not read", async () => {
  const failure = await stage.refusal({ path: "/large-headers" }, { bounds: { maxHeaderBytes: 1_000 } });
  expect(failure.code).toBe("too_large");
  expect((await stage.fetch({ path: "/large-headers" })).status).toBe(200);
});

describe("time", () => {
  test("runs out for a server that never answers, and for a resolver that never does", async () => {
    const never: NetworkSettings = { resolve: () => new Promise(() => {}) };
    for (const more of [{}, never]) {
      const failure = await stage.refusal({ path: "/never", timeoutMs: 150 }, more);
      expect(failure).toMatchObject({ code: "timed_out", transient: true });
    }
  });

  test("runs out for headers and between two pieces of a body by bounds of their own", async () => {
    const late = await stage.refusal({ path: "/never" }, { bounds: { headersTimeoutMs: 100 } });
    expect(late.message).toBe("one.test did not answer in time.");
    const stopped = await stage.refusal({ path: "/stops" }, { bounds: { idleTimeoutMs: 100 } });
    expect(stopped.message).toBe("one.test stopped sending its answer.");
  });

  test("is not longer than the host application allows, whatever the request asks for", async () => {
    const failure = await stage.refusal(
      { path: "/never", timeoutMs: 60_000 },
      { bounds: { timeoutMs: 150 } },
    );
    expect(failure).toMatchObject({ code: "timed_out", message: "The request was not over after 150 ms." });
  });

  test("ends with the call: what waits, and what is being read", async () => {
    const { value } = await stage.within(async (given) => {
      const controller = new AbortController();
      const network = guardedNetwork({ ...given, abortSignal: controller.signal }, settings);
      const { body } = await network.fetch({ url: `${origin}/stops` });
      const outcomes = [failureOf(textOf(body)), failureOf(network.fetch({ url: `${origin}/never` }))];
      await sleep(50);
      controller.abort();
      outcomes.push(failureOf(network.fetch({ url: `${origin}/` })));
      return Promise.all(outcomes);
    });
    expect(value.map(({ code }) => code)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });
});

test.each<[string, NetworkSettings]>([
  ["a private host with a path", { privateHosts: ["one.test/x"] }],
  ["a private host with a scheme", { privateHosts: ["http://one.test"] }],
  ["a private host with a star", { privateHosts: ["*.test"] }],
  ["a private host with a user", { privateHosts: ["a@one.test"] }],
  ["no private host", { privateHosts: [""] }],
  ["an invalid port", { privateHosts: ["one.test:99999"] }],
  ["a port below one", { ports: [0] }],
  ["a bound below one", { bounds: { maxBytes: 0 } }],
  ["a bound that is no number", { bounds: { timeoutMs: Number.NaN } }],
  ["a proxy of another kind", { proxy: { http: "socks5://127.0.0.1:1" } }],
  ["a proxy that is no address", { proxy: { https: "127.0.0.1" } }],
])("settings with %s are an error of the host application", async (_what, wrong) => {
  await stage.within(async (grant) => {
    expect(() => guardedNetwork(grant, wrong)).toThrow(ToolkeepError);
  });
});
