import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createProbe } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  KEYS,
  openIssuer,
  type TestIssuer,
} from "../../packages/cli/src/project/identity/issuer.test.kit.ts";
import { readBlock } from "../../scripts/readme-blocks.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { until } from "../scenario.ts";
import { newDatabase } from "./new-database.ts";
import { POSTGRES_URL } from "./test-stores.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/guides/several-processes.md"), "utf8");
const FILES = ["store.ts", "session.ts", "web.ts", "identity.ts", "approvals.ts", "sweep.ts"];
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

const folder = mkdtempSync(join(tmpdir(), "toolkeep-several-"));
let url = "";
let issuer: TestIssuer;
const running: ChildProcess[] = [];

beforeAll(async () => {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const file of FILES) writeFileSync(join(folder, file), readBlock(PAGE, `file: ${file}`) ?? "");
  issuer = await openIssuer();
  if (POSTGRES_URL !== "") url = await newDatabase(POSTGRES_URL);
});

afterAll(async () => {
  await issuer.close();
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const KEY = randomBytes(32).toString("base64");

/** Starts a file of the page as a process of its own. */
function start(file: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...FROM_SOURCE, file], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: url, TOOLKEEP_KEY: KEY, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return { child, ended, said: () => said };
}

async function freePort(): Promise<string> {
  const probe = createProbe();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
}

async function web() {
  const port = await freePort();
  const process = start("web.ts", { PORT: port });
  await saying(process, "ready");
  return { ...process, url: `http://127.0.0.1:${port}` };
}

async function saying({ child, said }: ReturnType<typeof start>, words: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!said().includes(words)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`It said: ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ask = async (url: string): Promise<unknown> => (await fetch(url, { method: "POST" })).json();

/** What a person sends with a request. */
async function headersOf(claims: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  const token = await issuer.token({ claims });
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}
const statusOf = async (...request: Parameters<typeof fetch>) => (await fetch(...request)).status;

test.skipIf(POSTGRES_URL === "")(
  "the files of the page: two replicas share sessions, one is killed, and another service approves",
  async () => {
    const hooked: unknown[] = [];
    const receiver = createServer(async (req, res) => {
      hooked.push(new Webhook(SECRET).verify(await text(req), req.headers as Record<string, string>));
      res.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const port = await freePort();
    const approvals = `http://127.0.0.1:${port}`;
    const identity = {
      ISSUER: issuer.url,
      ISSUER_KEYS: `${issuer.url}${KEYS}`,
      AUDIENCE: issuer.settings.audience,
    };
    const [one, two, service] = await Promise.all([
      web(),
      web(),
      Promise.resolve(
        start("approvals.ts", { PORT: port, HOOK_URL: hook, HOOK_SECRET: SECRET, ...identity }),
      ),
    ]);
    await saying(service, approvals);

    expect(await ask(`${one.url}/chat/t1?version=1.0`)).toEqual({ status: "waiting" });
    // The same request at another replica finds the turn of the first one.
    expect(await ask(`${two.url}/chat/t1?version=1.0`)).toEqual({ status: "waiting" });
    one.child.kill("SIGKILL");
    await one.ended;

    await until(() => hooked.length > 0);
    expect(hooked[0]).toMatchObject({ type: "approval.waiting", data: { sessionId: "chat", id: "t1/1" } });
    const ada = await headersOf({ sub: "ada", groups: ["approvers"] });
    const listed = (await (await fetch(`${approvals}/requests`, { headers: ada })).json()) as {
      requests: { sessionId: string; request: { id: string } }[];
    };
    const ids = listed.requests.map(({ sessionId, request }) => ({ sessionId, id: request.id }));
    expect(ids).toEqual([{ sessionId: "chat", id: "t1/1" }]);
    const body = JSON.stringify({ ...ids[0], answer: { verdict: "once" } });
    expect(await statusOf(`${approvals}/answers`, { method: "POST", headers: ada, body })).toBe(202);
    expect(await statusOf(`${approvals}/requests`)).toBe(401);
    const late = await headersOf({ sub: "ada", groups: ["approvers"], exp: 1 });
    expect(await statusOf(`${approvals}/requests`, { headers: late })).toBe(401);
    const eve = await headersOf({ sub: "eve", groups: [] });
    expect(await statusOf(`${approvals}/requests`, { headers: eve })).toBe(403);
    const tooLong = `${two.url}/${"a".repeat(300)}/t1?version=1.0`;
    for (const wrong of [`${two.url}/chat/t2`, tooLong])
      expect(await statusOf(wrong, { method: "POST" })).toBe(400);

    const sweep = start("sweep.ts");
    await sweep.ended;
    expect(sweep.said()).toBe("chat/t1 done\n");
    const done = { status: "done", result: "deployed 1.0" };
    expect(await ask(`${two.url}/chat/t1?version=1.0`)).toEqual(done);
    expect(readFileSync(join(folder, "deployed.txt"), "utf8")).toBe("chat/t1/1 1.0\n");
    receiver.close();
    receiver.closeAllConnections();
  },
);
