import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noSandbox, openSandbox } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect } from "../../packages/mcp/src/connection/connect.ts";
import type { ConnectOptions } from "../../packages/mcp/src/connection/connect-options.ts";
import type { Connection } from "../../packages/mcp/src/connection/news/connection.ts";
import { closedToOthers } from "./closed-to-others.ts";

const OTHER_USER = 12_345;
const isRoot = process.getuid?.() === 0;
const sandbox = await openSandbox({ orNone: true });
const why =
  sandbox.isolation === "files-and-network"
    ? closedToOthers(dirname(process.execPath))
    : "no sandbox holds here";
const hasSandbox = why === undefined;
const reason = hasSandbox ? "" : `: skipped, ${why}`;

/** Tries what its tools are asked for, and says what came of it. */
const PROGRAM = `
import { createInterface } from "node:readline";
import * as fs from "node:fs";
import * as net from "node:net";
import * as http from "node:http";
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const info = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } };
const dial = (port) => new Promise((resolve) => net.connect(port, "127.0.0.1", () => resolve("reached")).on("error", (e) => resolve(e.code)));
const tools = {
  read: ({ path }) => fs.readFileSync(path, "utf8"),
  write: ({ path }) => (fs.writeFileSync(path, "written"), "written"),
  environment: () => JSON.stringify(process.env),
  user: () => String(process.getuid()),
  dial: ({ port }) => dial(port),
  tunnel: ({ to }) => new Promise((resolve, reject) =>
    http.request({ port: 61128, method: "CONNECT", path: to }).on("connect", (answer) => resolve(String(answer.statusCode))).on("error", reject).end()),
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") return answer(id, info);
  if (method !== "tools/call") return id === undefined ? 0 : console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
  const text = await Promise.resolve().then(() => tools[params.name](params.arguments)).catch((error) => error.code);
  answer(id, { content: [{ type: "text", text }] });
});
`;

let folder: string;
let inside: string;
let connection: Connection | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-sandboxed-")));
  inside = join(folder, "inside");
  mkdirSync(inside);
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(inside, "server.mjs"), PROGRAM);
  if (isRoot) for (const path of [folder, inside]) chownSync(path, OTHER_USER, OTHER_USER);
});

afterEach(async () => {
  await connection?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function started(options: ConnectOptions): Promise<Connection> {
  const args = [join(inside, "server.mjs")];
  connection = connect(
    {
      ...{ kind: "stdio", name: "sandboxed", command: process.execPath, args, isOfProject: false },
      env: { GIVEN: "a-given-value" },
    },
    { backoffMs: [60_000], ...options },
  );
  await connection.tried;
  return connection;
}

function settingsFor(hosts: "any" | readonly string[] = []) {
  return { sandbox: { read: [dirname(process.execPath)], write: [inside], hosts } };
}

async function call(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const result = await connection?.call({ tool, arguments: args, signal });
  const [first] = result?.content ?? [];
  return first?.type === "text" ? first.text : "";
}

describe.skipIf(!hasSandbox)(`a server within sandbox${reason}`, () => {
  test("it works in its folders, and sees neither other files nor the network nor our environment", async () => {
    const { status } = await started({
      settings: settingsFor(),
      sandbox,
      environment: { ...process.env, OURS: "x" },
    });
    expect(status).toMatchObject({ state: "ready" });
    expect(await call("write", { path: join(inside, "made.txt") })).toBe("written");
    expect(await call("read", { path: join(inside, "made.txt") })).toBe("written");
    expect(await call("read", { path: join(folder, "secret.txt") })).toBe("ENOENT");
    const environment = JSON.parse(await call("environment"));
    expect(environment).toMatchObject({ GIVEN: "a-given-value" });
    expect(environment).not.toHaveProperty("OURS");
    if (isRoot) expect(await call("user")).not.toBe("0");
  });

  test("it has a proxy for the hosts that its sandbox names, and reaches nothing else", async () => {
    const { status } = await started({ settings: settingsFor(["api.example"]), sandbox });
    expect(status).toMatchObject({ state: "ready" });
    expect(JSON.parse(await call("environment"))).toMatchObject({ HTTPS_PROXY: "http://127.0.0.1:61128" });
    expect(await call("tunnel", { to: "evil.example:443" })).toBe("403");
    expect(await call("tunnel", { to: "127.0.0.1:80" })).toBe("403");
  });

  test("it reaches the network if its sandbox say so, and only then", async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      await started({ settings: settingsFor(), sandbox });
      expect(await call("dial", { port })).not.toBe("reached");
      await connection?.close();
      await started({ settings: settingsFor("any"), sandbox });
      expect(await call("dial", { port })).toBe("reached");
    } finally {
      server.close();
    }
  });

  test("sandbox that name what is not there refuse the server", async () => {
    const settings = { sandbox: { ...settingsFor().sandbox, read: [join(folder, "nothing")] } };
    const { status } = await started({ settings, sandbox });
    expect(status).toMatchObject({ state: "refused", reason: expect.stringContaining("nothing") });
  });
});

test("without a sandbox that was proven to hold, a server that should stand within sandbox is refused", async () => {
  expect((await started({ settings: settingsFor() })).status).toMatchObject({ state: "refused" });
  const { status } = await started({ settings: settingsFor(), sandbox: noSandbox() });
  expect(status).toMatchObject({ state: "refused", reason: expect.stringContaining("none") });
});
