import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpServer, StdioServer } from "../../packages/mcp/src/servers/server-entry.ts";
import { ALLOW_ALL, type GatewayBench, openBench, temporaryFolder } from "./gateway-bench.ts";
import { GENERATIONS, textOf } from "./served.ts";

const resolve = createRequire(import.meta.url).resolve;

/** The program of a published server. */
function programOf(name: string): string {
  return join(dirname(resolve(`@modelcontextprotocol/server-${name}/package.json`)), "dist/index.js");
}

function published(name: string, args: readonly string[] = [], env: StdioServer["env"] = {}): StdioServer {
  return {
    kind: "stdio",
    name: name.replaceAll("-", ""),
    isOfProject: false,
    command: process.execPath,
    args: [programOf(name), ...args],
    env,
  };
}

let bench: GatewayBench;
let remote: ChildProcess;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, "note.txt"), "a note");
  const port = await freePort();
  remote = spawn(process.execPath, [programOf("everything"), "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(remote.stderr ?? remote, "data");
  const http: HttpServer = {
    kind: "http",
    name: "remote",
    isOfProject: false,
    url: `http://127.0.0.1:${port}/mcp`,
    headers: {},
  };
  bench = await openBench(
    {
      servers: [
        published("everything", ["stdio"]),
        http,
        published("filesystem", [folder.path]),
        published("memory", [], { MEMORY_FILE_PATH: join(folder.path, "memory.jsonl") }),
        published("sequential-thinking"),
      ],
      searchAbove: "never",
    },
    { policy: ALLOW_ALL, variables: { workspace: [folder.path] } },
  );
  await bench.gateway.started;
});

afterAll(async () => {
  await bench.close();
  remote.kill("SIGKILL");
  await folder.remove();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("all five are reached, each with the newest protocol generation that it supports", () => {
  const { source } = bench.gateway;
  const states = source.servers.map(({ entry, status }) => [entry.name, status.state]);
  const names = ["everything", "remote", "filesystem", "memory", "sequentialthinking"];
  expect(states).toEqual(names.map((name) => [name, "ready"]));
  for (const name of names) expect(source.connection(name)?.server?.generation).toBe("legacy");
});

describe.each(GENERATIONS)(
  "published servers behind the gateway, for a client of the %s protocol generation",
  (generation) => {
    test.each(["everything", "remote"])("the reference server works (%s)", async (server) => {
      const client = await bench.client(generation);
      const echoed = await client.callTool({ name: `${server}_echo`, arguments: { message: "hello" } });
      expect(textOf(echoed)).toContain("hello");
      const sum = await client.callTool({ name: `${server}_get-sum`, arguments: { a: 2, b: 3 } });
      expect(textOf(sum)).toContain("5");
      const { content } = await client.callTool({ name: `${server}_get-tiny-image`, arguments: {} });
      expect(content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
    });

    test("files are read through the server for files, and not beyond its folder", async () => {
      const client = await bench.client(generation);
      const read = (path: string) =>
        client.callTool({ name: "filesystem_read_text_file", arguments: { path } });
      expect(textOf(await read(join(folder.path, "note.txt")))).toContain("a note");
      expect(await read("/etc/hostname")).toMatchObject({ isError: true });
    });

    test("the servers for memory and for thinking keep what they are told", async () => {
      const client = await bench.client(generation);
      const entities = [{ name: `Ada ${generation}`, entityType: "person", observations: ["counts"] }];
      await client.callTool({ name: "memory_create_entities", arguments: { entities } });
      expect(textOf(await client.callTool({ name: "memory_read_graph", arguments: {} }))).toContain(
        `Ada ${generation}`,
      );
      const thought = { thought: "one", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
      const result = await client.callTool({
        name: "sequentialthinking_sequentialthinking",
        arguments: thought,
      });
      expect(result.isError ?? false).toBe(false);
      expect(textOf(result)).toContain("thoughtNumber");
    });
  },
);
