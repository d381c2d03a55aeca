import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";
import { type GatewayBench, openBench, temporaryFolder } from "./gateway-bench.ts";
import { type TokenProxy, tokenProxy } from "./token-proxy.ts";

const run = promisify(execFile);
const PACKAGE = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
);
const KIT = join(import.meta.dirname, "servers/conformance-everything.ts");

/** What cannot pass, and why. The package fails for an entry that passes all the same. */
const BASELINE: Readonly<Record<string, string>> = {
  "tools-call-sampling": "A server behind a gateway gets no use of the client's model.",
  "server-sse-polling":
    "The scenario wants a tool that breaks its own stream, and events that the library sends from 2025-11-25 on to a client of 2025-03-26.",
};

let bench: GatewayBench;
let proxy: TokenProxy;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const args = [...FROM_SOURCE, KIT];
  bench = await openBench({
    servers: [{ kind: "stdio", name: "kit", isOfProject: false, command: process.execPath, args, env: {} }],
    naming: "plain",
  });
  await bench.gateway.started;
  proxy = await tokenProxy();
  // A page of its own origin is one that the gateway was told of.
  proxy.aim(await bench.gateway.serveHttp({ origins: [new URL(proxy.url).origin] }));
});
afterAll(async () => {
  await proxy.close();
  await bench.close();
  await folder.remove();
});

test("the official scenarios for servers pass through the gateway, but for those that stand in the baseline", async () => {
  const baseline = join(folder.path, "baseline.yml");
  await writeFile(
    baseline,
    `server:\n${Object.keys(BASELINE)
      .map((name) => `  - ${name}\n`)
      .join("")}`,
  );
  const program = join(PACKAGE, "dist/index.js");
  const args = [program, "server", "--url", proxy.url, "--suite", "all", "--expected-failures", baseline];
  const { stdout } = await run(process.execPath, args, { cwd: folder.path }).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: unknown }).stdout ?? error));
  });
  expect(stdout).toContain("dns-rebinding-protection");
});
