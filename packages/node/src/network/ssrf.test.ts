import type { NetworkResponse } from "@toolkeep/core/ports";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { guardedConnector } from "./guarded-connector.ts";
import { guardedNetwork } from "./guarded-network.ts";
import { hostRules } from "./host-rules.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { type NetworkAttack, readAttacks } from "./testing/attack-record.test.kit.ts";
import { failureOf, textOf } from "./testing/failure-of.test.kit.ts";
import { openServer } from "./testing/loopback-server.test.kit.ts";
import { selfSigned } from "./testing/self-signed.test.kit.ts";
import { withGrant } from "./testing/with-grant.test.kit.ts";

/** Hosts that represent public ones: the host application names them, so that they may be on loopback. */
const PUBLIC = ["pub.example.test", "other.example.test", "docs.example.test"];
const INTERNAL = ["internal.example.test", "metadata.google.internal", "localhost"];

const answers = new Map<string, string>();
const certificate = selfSigned(PUBLIC);
const internal = await openServer((_request, response) => response.end("CANARY"));
const open = await openServer((request, response) => {
  const [status = "200", location] = (answers.get(request.url ?? "") ?? "200").split(" ");
  response.writeHead(Number(status), location === undefined ? {} : { location }).end("public");
});
const secure = await openServer((_request, response) => {
  response.writeHead(302, { location: `http://pub.example.test:${open.port}/` }).end();
}, certificate);

const ATTACKS = readAttacks("ssrf", internal.port);
const held = new Set<string>();

beforeEach(() => answers.clear());
afterEach(() => expect(internal.connections()).toBe(0));
afterAll(async () => {
  // Nothing is proven if there was no server to reach.
  expect(await (await fetch(`http://127.0.0.1:${internal.port}/`)).text()).toBe("CANARY");
  await Promise.all([internal.close(), open.close(), secure.close()]);
});

describe("attacks that reach for what is not public", () => {
  test.each(ATTACKS.map((attack) => [attack.id, attack.must.invariant, attack] as const))(
    "[C67] %s %s",
    async (id, _invariant, attack) => {
      await (PARTICULAR[id] ?? refused)(attack);
      held.add(id);
    },
  );

  test("are 64, and none is forgotten", () => {
    expect(ATTACKS.length).toBe(64);
    expect(ATTACKS.filter(({ id }) => !held.has(id))).toEqual([]);
    expect(Object.keys(PARTICULAR).filter((id) => !held.has(id))).toEqual([]);
  });
});

/** The benign requests of the corpus. */
test.each([
  ["OK013", "http://docs.example.test/x?y=1#z", "/x?y=1"],
  ["OK014", "http://DOCS.example.test./x", "/x"],
])("%s a harmless request succeeds: %s", async (_id, url, path) => {
  const response = await run({ url }, ["docs.example.test"]);
  expect(response.status).toBe(200);
  expect(response.url).toBe(`http://docs.example.test:${open.port}${path}`);
  expect(open.requests.at(-1)).toMatchObject({
    url: path,
    headers: { host: `docs.example.test:${open.port}` },
  });
});

type Run = (attack: NetworkAttack) => Promise<void>;

/** What most attacks must come to. */
async function refused(attack: NetworkAttack): Promise<void> {
  const { input, setup } = attack;
  const before = open.requests.length;
  for (const [path, answer] of Object.entries(setup.http ?? {})) answers.set(path, withPorts(answer));
  const failure = await failureOf(run(input, setup.manifest.net.hosts, dnsOf(attack)));
  expect(["out_of_scope", "invalid_arguments"]).toContain(failure.code);
  expect(failure.message).not.toContain("CANARY");
  expect(open.requests.length - before).toBe(Object.keys(setup.http ?? {}).length);
}

const PARTICULAR: Readonly<Record<string, Run>> = {
  /** The name is resolved once, and what was checked is what is dialled. */
  async N039({ setup }) {
    const [first, after] = (setup.dns?.["rebind.example.test"] ?? []).map((text) => text.split(" ")[0] ?? "");
    const queue = [first ?? "", after ?? "", after ?? ""];
    const dialled: string[] = [];
    const connect = guardedConnector({
      rules: hostRules(),
      resolve: async () => [queue.shift() ?? ""],
      dial(addresses, _options, callback) {
        dialled.push(...addresses);
        callback(new Error("nothing public is dialled in a test"), null);
      },
    });
    const options = { hostname: "rebind.example.test", protocol: "http:", port: `${internal.port}` };
    await new Promise<void>((resolve) => connect(options, () => resolve()));
    expect(dialled).toEqual(["93.184.216.34"]);
    expect(queue).toEqual(["127.0.0.1", "127.0.0.1"]);
    const error = await new Promise((resolve) => connect(options, (...[failure]) => resolve(failure)));
    expect(error).toMatchObject({ code: "out_of_scope" });
    expect(dialled).toEqual(["93.184.216.34"]);
  },
  async N045({ input }) {
    answers.set("/loop", "302 /loop");
    const before = open.requests.length;
    expect((await failureOf(run(input, ["*"]))).code).toBe("unavailable");
    expect(open.requests.length - before).toBe(6);
  },
  async N046({ input }) {
    const before = open.requests.length;
    const url = input.url.replace("pub.example.test", `pub.example.test:${secure.port}`);
    expect((await failureOf(run({ url }, ["*"]))).code).toBe("out_of_scope");
    expect(secure.requests.at(-1)?.url).toBe("/down");
    expect(open.requests.length).toBe(before);
  },
  /** In hosts a star covers any depth, as documented; so the address decides. */
  async N053({ input, setup }) {
    const { hosts } = setup.manifest.net;
    const dns = { "a.b.docs.example.test": ["127.0.0.1"] };
    expect((await failureOf(run(input, hosts, dns))).code).toBe("out_of_scope");
    expect((await failureOf(run({ url: "http://docs.example.test/" }, hosts))).code).toBe("out_of_scope");
  },
  async N054({ input }) {
    const outcomes = [input.url, input.url.replace("./", "/")].map(async (url) => {
      const named = await run({ url }, ["docs.example.test"]);
      const unnamed = await failureOf(run({ url }, ["docs.example.test"], {}, { privateHosts: [] }));
      const undeclared = await failureOf(run({ url }, ["pub.example.test"]));
      return [named.url, named.status, unnamed.message, undeclared.message];
    });
    const [dotted, plain] = await Promise.all(outcomes);
    expect(dotted).toEqual(plain);
  },
  /** The request takes its own way, and the proxy of the environment sees nothing of it. */
  async N063({ input, setup }) {
    const before = { ...process.env };
    Object.assign(process.env, setup.env, { http_proxy: setup.env?.["HTTP_PROXY"] });
    try {
      expect((await run(input, ["*"])).status).toBe(200);
    } finally {
      for (const name of ["HTTP_PROXY", "NODE_USE_ENV_PROXY", "http_proxy"]) delete process.env[name];
      Object.assign(process.env, before);
    }
  },
  async N064({ input, setup }) {
    for (const [path, answer] of Object.entries(setup.http ?? {})) answers.set(path, withPorts(answer));
    expect((await run(input, ["*"])).url).toBe(`http://other.example.test:${open.port}/`);
    const [first, second] = open.requests.slice(-2);
    expect(first?.headers.authorization).toBe("Bearer CANARY");
    expect(JSON.stringify(second)).not.toContain("CANARY");
  },
};

/** Fetches within a call that may reach some hosts; the server that represents the web has its own port. */
async function run(
  input: NetworkAttack["input"],
  hosts: readonly string[],
  dns: Readonly<Record<string, readonly string[]>> = {},
  more: NetworkSettings = {},
): Promise<NetworkResponse> {
  const settings: NetworkSettings = {
    privateHosts: PUBLIC.flatMap((host) => [`${host}:${open.port}`, `${host}:${secure.port}`]),
    // Open, so that it is not for the port that an attack is refused.
    ports: [internal.port, open.port],
    resolve: async (host) => dns[host] ?? ([...PUBLIC, ...INTERNAL].includes(host) ? ["127.0.0.1"] : []),
    certificates: [certificate.cert],
    ...more,
  };
  const { value } = await withGrant({ net: { hosts } }, async (grant) => {
    const response = await guardedNetwork(grant, settings).fetch({ ...input, url: withPorts(input.url) });
    await textOf(response.body);
    return response;
  });
  return value;
}

/** A public host without a port is the server that represents it. */
function withPorts(text: string): string {
  return text.replace(/(http:\/\/(?:pub|other|docs)\.example\.test\.?)(?=\/|$)/i, `$1:${open.port}`);
}

function dnsOf({ setup }: NetworkAttack): Readonly<Record<string, readonly string[]>> {
  return setup.dns ?? {};
}
