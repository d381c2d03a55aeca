import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "@toolkeep/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ScriptedBrowser } from "../ai/app/scripted-browser.ts";
import { type RunningServer, startServer } from "../ai/app/start-server.ts";
import { newDatabase } from "./new-database.ts";
import { POSTGRES_URL } from "./test-stores.ts";

const folder = mkdtempSync(join(tmpdir(), "toolkeep-replicas-"));
const secret = randomBytes(32).toString("base64");
let url = "";
let replicas: RunningServer[] = [];
let balancer: Server;
let address = "";

beforeAll(async () => {
  if (POSTGRES_URL === "") return;
  url = await newDatabase(POSTGRES_URL);
  const env = { APP_DATABASE: url, APP_KEY: secret };
  replicas = await Promise.all([startServer("governed", folder, env), startServer("governed", folder, env)]);
  balancer = balanced();
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  balancer?.close();
  balancer?.closeAllConnections();
  for (const replica of replicas) await replica.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** One address: each request goes to the next replica. */
function balanced(): Server {
  let next = 0;
  return createServer((req, res) => {
    const target = replicas[next % replicas.length]?.url ?? "";
    next += 1;
    const passed = request(target, { method: req.method, headers: req.headers });
    passed.once("response", (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 502, answer.headers)));
    passed.once("error", () => res.writeHead(502).end());
    req.pipe(passed);
  });
}

function ledger(): readonly string[] {
  try {
    return readFileSync(join(folder, "ledger"), "utf8").trim().split("\n").toSorted();
  } catch {
    return [];
  }
}

test.skipIf(POSTGRES_URL === "")(
  "two replicas behind one address share chats: either asks, either takes the approval, and one can be killed",
  async () => {
    const chats = Array.from({ length: 3 }, (_, n) => new ScriptedBrowser(`chat-${n}`, () => address));
    await Promise.all(chats.map((chat, n) => chat.say(`pay A-${n}`)));
    expect(chats.map(({ states }) => states)).toEqual(chats.map(() => ["approval-requested"]));
    expect(ledger()).toEqual([]);
    for (const chat of chats) await chat.answer(true);
    expect(chats.map(({ states }) => states)).toEqual(chats.map(() => ["output-available"]));
    expect(ledger()).toEqual(["A-0", "A-1", "A-2"]);

    const [first] = chats;
    if (first === undefined) throw new Error("There is no chat.");
    await first.say("pay B-1");
    expect(first.waiting).toHaveLength(1);
    const [killed] = replicas.splice(0, 1);
    await killed?.kill();
    await first.answer(true);
    expect(ledger()).toEqual(["A-0", "A-1", "A-2", "B-1"]);

    // The same approval again, at the replica that is left.
    await fetch(address, {
      method: "POST",
      body: first.sent.at(-1) ?? "",
      headers: { "content-type": "application/json" },
    }).then((response) => response.text());
    expect(ledger()).toEqual(["A-0", "A-1", "A-2", "B-1"]);

    await using store = await openPostgresStore({ url, keys: [{ id: "app", secret }] });
    for (const { sessionId } of await store.sessions())
      expect(await store.verify(sessionId)).toMatchObject({ intact: true });
    expect(await store.waiting()).toEqual([]);
  },
);
