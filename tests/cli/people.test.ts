import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openIssuer, type TestIssuer } from "../../packages/cli/src/project/identity/issuer.test.kit.ts";
import { type HttpPlace, servedOverHttp } from "../../packages/cli/src/run/gateway/serve-over-http.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { shopServer } from "../mcp/gateway-bench.ts";
import { newClient } from "../mcp/served.ts";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { gatewayClient } from "./gateway-client.ts";

const config = (identity: object) => ({ config: { identity } }) as never;
const place = (more: Partial<HttpPlace> = {}): HttpPlace => ({ port: 0, ...more });
const IDENTITY = { issuer: "https://login.example.com", audience: "api://tools" };

describe("where a gateway over HTTP listens", () => {
  test("without `identity` on loopback alone, and it says what to configure", () => {
    for (const address of [undefined, "127.0.0.1", "127.0.0.9", "::1", "localhost"])
      expect(servedOverHttp(place({ address }), config({}))).toBeTypeOf("function");
    for (const address of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "example.com", ""])
      expect(() => servedOverHttp(place({ address }), config({})), address).toThrow(
        expect.objectContaining({ hint: expect.stringContaining('"identity": { "issuer"') }),
      );
    expect(() => servedOverHttp(place({ url: "https://a.example" }), config({}))).toThrow("--url");
  });

  test("with it also elsewhere, behind an encrypted address", () => {
    const address = "0.0.0.0";
    expect(() => servedOverHttp(place({ address }), config(IDENTITY))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("--url https://") }),
    );
    const clear = place({ address, url: "http://tools.example.com/mcp" });
    expect(() => servedOverHttp(clear, config(IDENTITY))).toThrow("encrypted");
    expect(() => servedOverHttp(place({ url: "tools" }), config(IDENTITY))).toThrow("not an address");
    const url = "https://tools.example.com/mcp";
    expect(servedOverHttp(place({ address, url }), config(IDENTITY))).toBeTypeOf("function");
    expect(servedOverHttp(place({ address }), config({ ...IDENTITY, audience: url }))).toBeTypeOf("function");
  });

  test("and never with settings that identify no user", () => {
    expect(() => servedOverHttp(place(), config({ issuer: "https://a.example" }))).toThrow("no user");
  });
});

const POLICY = `version: 1
rules:
  - allow mcp:shop:stock
  - ask mcp:shop:deploy
  - deny mcp:shop:deploy if not group release
  - deny mcp:shop:sounds if environment lab
`;

const PROGRAM = [...FROM_SOURCE, join(import.meta.dirname, "people-gateway.ts")];

let bench: CliBench;
let issuer: TestIssuer;
beforeEach(async () => {
  bench = cliBench();
  issuer = await openIssuer();
});
afterEach(async () => {
  await issuer.close();
  bench.remove();
});

/** The administrator's configuration, with a server that was accepted; its file. */
async function prepare(more: object): Promise<string> {
  const managed = join(bench.base, "managed");
  mkdirSync(managed);
  writeFileSync(join(managed, "policy.yaml"), POLICY);
  const file = join(managed, "config.jsonc");
  const identity = { ...issuer.settings, ...more };
  writeFileSync(file, JSON.stringify({ identity, environment: "lab", policy: "policy.yaml" }));
  const { command, args } = shopServer("shop");
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { shop: { command, args } } }));
  await acceptServers(bench, ["shop"]);
  return file;
}

describe("the program, for two people", () => {
  let gateway: ChildProcess;
  let said: { stdout: string; stderr: string };
  beforeEach(async () => {
    const managed = await prepare({});
    gateway = spawn(process.execPath, [...PROGRAM, managed], {
      cwd: bench.project,
      env: bench.environment,
    });
    said = { stdout: "", stderr: "" };
    gateway.stdout?.on("data", (chunk) => {
      said.stdout += chunk;
    });
    gateway.stderr?.on("data", (chunk) => {
      said.stderr += chunk;
    });
    await expect.poll(() => said.stdout || gateway.exitCode).toMatch(/url/);
  });
  afterEach(() => {
    if (gateway.exitCode === null) gateway.kill("SIGKILL");
  });

  async function connect(token: string) {
    const { url } = JSON.parse(said.stdout) as { readonly url: string };
    const client = newClient("legacy");
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }

  test("keeps a session for each, tells the operator who asks, and has no token anywhere", async () => {
    const tokens = [
      await issuer.token({ claims: { sub: "ada", groups: ["release"] } }),
      await issuer.token({ claims: { sub: "eve", groups: ["sales"] } }),
    ];
    const [ada, eve] = await Promise.all(tokens.map(connect));
    const names = async (client = ada) => (await client?.listTools())?.tools.map(({ name }) => name);
    expect(await names(ada)).toContain("shop_deploy");
    expect(await names(eve)).toEqual(expect.not.arrayContaining(["shop_deploy"]));
    expect(await names(ada)).not.toContain("shop_sounds");
    const call = { name: "shop_deploy", arguments: { version: "1" } };
    const waits = ada?.callTool(call).catch(() => undefined);
    expect(JSON.stringify(await eve?.callTool(call))).toContain("A policy rule denies this");
    await expect
      .poll(async () => (await bench.run(["approvals", "--json"])).stdout, { interval: 500 })
      .toContain("ada");

    gateway.kill("SIGTERM");
    await once(gateway, "exit");
    // A client whose server has gone would wait for it.
    await Promise.all([ada?.close(), eve?.close()].map((closed) => closed?.catch(() => {})));
    await waits;
    const folder = join(bench.environment.TOOLKEEP_HOME, "state/sessions");
    const store = openSqliteStore({ path: folder });
    const sessions = store.sessions().map(({ sessionId }) => sessionId);
    const journals = await Promise.all(
      sessions.map(async (id) => JSON.stringify(await Array.fromAsync(store.journal(id).read({})))),
    );
    await store.close();
    for (const user of ["ada", "eve"])
      expect(journals.filter((text) => text.includes(`"user":"${user}"`))).toHaveLength(1);
    const written = filesIn(bench.environment.TOOLKEEP_HOME).map((file) => readFileSync(file, "latin1"));
    for (const token of tokens)
      for (const piece of token.split(".").slice(1))
        expect([...written, said.stdout, said.stderr].some((text) => text.includes(piece))).toBe(false);
  });
});

test("a gateway over stdio acts for the user of its token, as long as it is valid and the same", async () => {
  const tokenFile = join(bench.base, "token");
  const managed = await prepare({ tokenFile });
  const keep = async (claims: object) =>
    writeFileSync(tokenFile, await issuer.token({ claims: { sub: "ada", ...claims } }), { mode: 0o600 });
  await keep({});
  const args = [...PROGRAM, managed, "stdio"];
  const { project: cwd, environment: env } = bench;
  const { client, call } = await gatewayClient({ command: process.execPath, args, cwd, env });
  try {
    expect(await call("shop_stock", { item: "a" })).toMatchObject({ isError: false });
    await keep({ exp: Math.floor(Date.now() / 1_000) - 120 });
    await expect(call("shop_stock", { item: "b" })).rejects.toThrow(/has expired.* log in again/);
    await keep({ sub: "eve" });
    await expect(call("shop_stock", { item: "c" })).rejects.toThrow("another principal");
    await keep({});
    expect(await call("shop_stock", { item: "d" })).toMatchObject({ isError: false });
  } finally {
    await client.close();
  }
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
