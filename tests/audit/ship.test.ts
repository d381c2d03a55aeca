import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_COMMAND } from "../cli/cli-bench.ts";

let bench: CliBench;
let server: Server | undefined;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  bench.remove();
});

const work = defineTool({
  ...{ name: "work", description: "Works.", inputSchema: { type: "object" }, requires: {}, mode: "read" },
  execute: () => "done",
});

const storeFolder = () => join(bench.environment.TOOLKEEP_HOME, "state", "sessions");

async function fill(id: string, calls: number): Promise<readonly string[]> {
  await using store = openSqliteStore({ path: storeFolder(), durability: "normal" });
  const session = await createSession({
    ...{ id, store, tools: [work], policy: { mode: "yolo" }, principal: { user: "ada" } },
  });
  for (let n = 0; n < calls; n += 1) await session.call({ id: `c${n}`, name: "work", arguments: { n } });
  await session.call({ id: "gone", name: "nothing", arguments: {} });
  await session.close();
  const events = await Array.fromAsync(store.events(id));
  return events.map(({ seq }) => `${id}:${events[0]?.at}:${seq}`);
}

interface Received {
  readonly body: string;
  accept(): void;
}

/** A server that hands out requests; each waits until it is accepted. */
async function receiver(onRequest: (received: Received) => void): Promise<string> {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => onRequest({ body, accept: () => void response.writeHead(200).end() }));
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1/logs`;
}

const idsIn = (body: string) =>
  body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { readonly id: string }).id);

test("every event arrives at least once, also when the process is killed in the middle", async () => {
  const ids = await fill("s1", 150);
  const arrived: string[] = [];
  let requests = 0;
  let victim: ReturnType<typeof spawn> | undefined;
  const to = await receiver(({ body, accept }) => {
    requests += 1;
    arrived.push(...idsIn(body));
    if (requests === 2) victim?.kill("SIGKILL");
    else accept();
  });
  const args = ["log", "ship", "--to", to];
  const [program = "", ...own] = OWN_COMMAND;
  victim = spawn(program, [...own, ...args], { cwd: bench.project, env: bench.environment, stdio: "ignore" });
  await new Promise((resolve) => victim?.once("close", resolve));
  expect(requests).toBe(2);
  const again = await bench.runHere([...args, "--json"]);
  expect(again.code).toBe(0);
  expect(new Set(arrived)).toEqual(new Set(ids));
  expect(arrived.length).toBeGreaterThan(ids.length);
  // What came since is sent alone.
  const before = arrived.length;
  const more = await fill("s2", 1);
  expect(JSON.parse((await bench.runHere([...args, "--json"])).stdout)).toMatchObject({
    events: more.length,
  });
  expect(arrived.slice(before)).toEqual(more);
  expect(JSON.parse((await bench.runHere([...args, "--json"])).stdout)).toMatchObject({ events: 0 });
});

test("a session that was removed and begun again under its id is sent from its beginning, under other ids", async () => {
  const file = join(bench.base, "events.jsonl");
  const ship = () => bench.runHere(["log", "ship", "--to", file, "--json"]);
  const first = await fill("s1", 3);
  expect((await ship()).code).toBe(0);
  {
    await using store = openSqliteStore({ path: storeFolder() });
    await store.forget("s1");
  }
  const second = await fill("s1", 1);
  expect((await ship()).code).toBe(0);
  const ofSession = idsIn(readFileSync(file, "utf8")).filter((id) => id.startsWith("s1:"));
  expect(ofSession).toEqual([...first, ...second]);
  expect(new Set(ofSession).size).toBe(first.length + second.length);
});

test("OpenTelemetry logs and OCSF have what the receivers look for", async () => {
  await fill("s1", 1);
  const bodies: string[] = [];
  const to = await receiver(({ body, accept }) => {
    bodies.push(body);
    accept();
  });
  expect((await bench.runHere(["log", "ship", "--to", to, "--format", "otlp"])).code).toBe(0);
  const { resourceLogs } = JSON.parse(bodies[0] ?? "");
  const [record] = resourceLogs[0].scopeLogs[0].logRecords;
  expect(record).toMatchObject({
    timeUnixNano: expect.stringMatching(/^\d{19}$/),
    severityNumber: 9,
    attributes: expect.arrayContaining([
      { key: "log.record.uid", value: { stringValue: expect.stringMatching(/^s1:\d+:0$/) } },
      { key: "user.name", value: { stringValue: "ada" } },
    ]),
  });
  const file = join(bench.base, "ocsf.jsonl");
  expect((await bench.runHere(["log", "ship", "--to", file, "--format", "ocsf"])).code).toBe(0);
  const activities = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(activities).toMatchObject(
    [
      {
        ...{ class_uid: 6003, category_uid: 6, type_uid: 600399, status_id: 1, severity_id: 1 },
        ...{ actor: { user: { name: "ada" } }, api: { operation: "work" }, metadata: { uid: /^s1:/ } },
        unmapped: { decided_by: expect.any(String) },
      },
      { status_id: 2, status_detail: "not_found", api: { operation: "nothing" } },
    ].map((one) => ({ ...one, metadata: { version: "1.6.0", uid: expect.stringMatching(/^s1:\d+:\d+$/) } })),
  );
  expect((await bench.runHere(["log", "ship", "--to", file, "--format", "xml"])).code).toBe(2);
});
