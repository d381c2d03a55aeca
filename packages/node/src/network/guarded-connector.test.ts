import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { afterAll, expect, test } from "vitest";
import { type Dial, dialAddresses, guardedConnector } from "./guarded-connector.ts";
import { hostRules } from "./host-rules.ts";
import { openServer } from "./testing/loopback-server.test.kit.ts";

const internal = await openServer((_request, response) => response.end("CANARY"));
afterAll(() => internal.close());

const PUBLIC = "93.184.216.34";

interface Attempt {
  readonly hostname: string;
  readonly answers?: readonly string[];
  readonly privateHosts?: readonly string[];
  readonly dial?: Dial;
}

/** Connects, and reports the outcome and what was dialled. */
async function attempt({ hostname, answers = [], privateHosts = [], dial }: Attempt) {
  const dialled: string[] = [];
  const recorded: Dial = (addresses, options, callback) => {
    dialled.push(...addresses);
    (dial ?? dialAddresses(1_000))(addresses, options, callback);
  };
  const rules = hostRules({ privateHosts });
  const connector = guardedConnector({ rules, resolve: async () => answers, dial: recorded });
  const options: buildConnector.Options = { hostname, protocol: "http:", port: `${internal.port}` };
  return new Promise<{ error: Error | null; socket: Socket | null; dialled: readonly string[] }>((resolve) =>
    connector(options, (...[error, socket]) => resolve({ error, socket, dialled })),
  );
}

test("a literal is refused before anything is dialled: no resolver is ever asked for one", async () => {
  for (const hostname of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254"]) {
    const { error, dialled } = await attempt({ hostname });
    expect(error).toMatchObject({ code: "out_of_scope" });
    expect(dialled).toEqual([]);
  }
});

test("one bad address among many refuses the name, at any position", async () => {
  for (const answers of [
    [PUBLIC, "127.0.0.1"],
    ["127.0.0.1", PUBLIC],
    [PUBLIC, "::1", PUBLIC],
    [PUBLIC, "not an address"],
  ]) {
    const { error, dialled } = await attempt({ hostname: "mixed.test", answers });
    expect(error).toMatchObject({ code: "out_of_scope" });
    expect(dialled).toEqual([]);
  }
});

test("a name without an address is not dialled", async () => {
  const { error, dialled } = await attempt({ hostname: "none.test" });
  expect(error).toMatchObject({ code: "unavailable" });
  expect(dialled).toEqual([]);
});

test("the addresses that were checked are those that are dialled, though the answer changes", async () => {
  let reads = 0;
  const shifting = {
    toString: () => {
      reads += 1;
      return reads === 1 ? PUBLIC : "127.0.0.1";
    },
  } as unknown as string;
  const dial: Dial = (_addresses, _options, callback) => callback(new Error("not in a test"), null);
  const { dialled } = await attempt({ hostname: "shifting.test", answers: [shifting], dial });
  expect(dialled).toEqual([PUBLIC]);
});

test("a connection that ends up elsewhere than it was dialled to is closed unused", async () => {
  let reached: Socket | undefined;
  const astray: Dial = (_addresses, _options, callback) => {
    const socket = connect(internal.port, "127.0.0.1", () => callback(null, socket));
    reached = socket;
  };
  const { error, socket } = await attempt({ hostname: "astray.test", answers: [PUBLIC], dial: astray });
  expect(error).toMatchObject({ code: "out_of_scope" });
  expect(socket).toBeNull();
  if (reached?.closed === false) await once(reached, "close");
  expect(reached?.destroyed).toBe(true);
  expect(internal.requests).toEqual([]);
});

test("a named host is connected to at the address it has", async () => {
  const { error, socket, dialled } = await attempt({
    hostname: "named.test",
    answers: ["127.0.0.1"],
    privateHosts: ["named.test"],
  });
  expect(error).toBeNull();
  expect([socket?.remoteAddress, dialled]).toEqual(["127.0.0.1", ["127.0.0.1"]]);
  socket?.destroy();
});
