import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createSession, memoryStore, type SessionStore } from "@toolkeep/core";
import { APPROVAL_NAMESPACE } from "@toolkeep/core/internal";
import { approvalStatement } from "@toolkeep/core/policy";
import { stubTool } from "@toolkeep/core/testing";
import { type ApprovalsServiceOptions, openApprovalsService } from "@toolkeep/postgres/approvals";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { authenticationOf } from "../../packages/cli/src/project/identity/authentication.ts";
import { openIssuer, type TestIssuer } from "../../packages/cli/src/project/identity/issuer.test.kit.ts";
import { until } from "../scenario.ts";
import { newKey } from "../ssh-keys.ts";

let issuer: TestIssuer;
const opened: AsyncDisposable[] = [];
beforeEach(async () => {
  issuer = await openIssuer();
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  await issuer.close();
});

const ADA = { sub: "ada", groups: ["approvers"], tenant: "one" };
/** Every token is one of a person without a tenant. */
const UNTENANTED = {
  authenticate: async () => ({ id: "bob", principal: { user: "bob", groups: ["approvers"] } }),
};
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A service over a store, with the tokens of a real issuer. */
async function serving(store: SessionStore, options: Partial<ApprovalsServiceOptions> = {}) {
  const settings = { ...issuer.settings, tenantClaim: "tenant" };
  const service = await openApprovalsService({
    store,
    authentication: authenticationOf({ settings, place: {} }),
    mayAnswer: ({ groups = [] }) => groups.includes("approvers"),
    pollMs: 20,
    ...options,
  });
  opened.push(service);
  const send = async (
    path: string,
    { claims = ADA, body }: { readonly claims?: object; readonly body?: unknown } = {},
  ) => {
    const token = await issuer.token({ claims: claims as Record<string, unknown> });
    return fetch(`${service.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return { service, send };
}

/** A session with a call that waits for approval. */
async function waitingCall(
  store: SessionStore,
  { rules = ["ask pay"], ...options }: { rules?: readonly string[] } & Record<string, unknown> = {},
) {
  const stub = stubTool("pay", () => "paid", { idempotent: false });
  const session = await createSession({
    id: "chat-1",
    store,
    tools: [stub.tool],
    policy: rules,
    approver: async () => "later",
    principal: { user: "eve", tenant: "one" },
    ...options,
  });
  const parked = await session.run([{ id: "1", name: "pay", arguments: {} }], { id: "turn" });
  expect(parked.status).toBe("waiting");
  opened.push({ [Symbol.asyncDispose]: () => session.close() });
  return { session, stub, request: parked.requests[0] };
}

const REF = { sessionId: "chat-1", id: "turn/1" };

describe("the approvals service", () => {
  test("lists what waits, and an answer is recorded in the name of the person whose token it is", async () => {
    const store = memoryStore();
    const { session, stub } = await waitingCall(store);
    const { send } = await serving(store);
    const listed = await (await send("/requests")).json();
    expect(listed).toMatchObject({
      total: 1,
      requests: [{ sessionId: "chat-1", request: { id: "turn/1" } }],
    });
    const answered = await send("/answers", { body: { ...REF, answer: { verdict: "once" }, key: "k" } });
    expect(answered.status).toBe(202);
    await until(async () => (await session.waiting()).length === 0);
    expect((await session.resume("turn")).results[0]?.data).toBe("paid");
    expect(stub.executed).toHaveLength(1);
    const events = await Array.fromAsync(session.journal.read({ turn: "turn" }));
    expect(events.find(({ type }) => type === "approval-answer")).toMatchObject({
      answer: { by: "ada" },
      key: "k",
    });
    expect(await (await send("/requests")).json()).toMatchObject({ total: 0 });
    expect((await send("/answers", { body: { ...REF, answer: { verdict: "once" } } })).status).toBe(404);
  });

  test("serves no user without a valid token, and no person outside the tenant or without the right", async () => {
    const store = memoryStore();
    const { stub, session } = await waitingCall(store);
    const { service, send } = await serving(store);
    const bare = await fetch(`${service.url}/requests`);
    expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const forged = await fetch(`${service.url}/requests`, { headers: { authorization: "Bearer a.b.c" } });
    expect(forged.status).toBe(401);
    const answer = { ...REF, answer: { verdict: "once" } };
    for (const claims of [
      { ...ADA, tenant: "two" },
      { ...ADA, groups: ["others"] },
    ]) {
      expect(await (await send("/requests", { claims })).json()).toEqual({ requests: [], total: 0 });
      expect((await send("/answers", { claims, body: answer })).status).toBe(404);
    }
    expect(await (await send("/requests")).json()).toMatchObject({ total: 1 });
    expect(await session.waiting()).toHaveLength(1);
    expect(stub.executed).toEqual([]);
  });

  test.each([
    ["another name", { verdict: "once", by: "root" }, 400],
    ["a verdict that changes rules", { verdict: "always" }, 400],
    ["nothing", {}, 400],
    ["half a signature", { statement: {} }, 400],
  ])("refuses an answer with %s", async (_name, answer, status) => {
    const store = memoryStore();
    await waitingCall(store);
    const { send } = await serving(store);
    expect((await send("/answers", { body: { ...REF, answer } })).status).toBe(status);
    expect((await send("/answers", { body: { ...REF, answers: [] } })).status).toBe(400);
    expect(await store.waiting()).toHaveLength(1);
  });

  test("passes signatures on, and takes nothing else for a request that needs them", async () => {
    const key = newKey();
    const store = memoryStore();
    const { session, stub, request } = await waitingCall(store, {
      rules: ["ask pay by group payments"],
      approvers: { ada: { keys: [key.line], groups: ["payments"] } },
    });
    const { send } = await serving(store);
    const unsigned = await send("/answers", { body: { ...REF, answer: { verdict: "once" } } });
    expect(unsigned.status).toBe(409);
    if (request === undefined || !("binding" in request)) throw new Error("Nothing was asked.");
    const { statement, text: signed } = await approvalStatement(request, {
      verdict: "once",
      approver: "ada",
      publicKey: key.line,
      expiresAt: Date.now() + 60_000,
    });
    const answer = { statement, signature: key.sign(APPROVAL_NAMESPACE, signed) };
    expect((await send("/answers", { body: { ...REF, answer } })).status).toBe(202);
    await until(async () => (await session.waiting()).length === 0);
    expect((await session.resume("turn")).results[0]?.data).toBe("paid");
    expect(stub.executed).toHaveLength(1);
  });

  test("tells watchers what begins to wait and what no longer does, until their tokens expire", async () => {
    const store = memoryStore();
    const { service, send } = await serving(store);
    const stream = await send("/events");
    let seen = "";
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString();
    })();
    const { session } = await waitingCall(store);
    await until(() => seen.includes("event: waiting"));
    expect(seen).toContain('"id":"turn/1"');
    await send("/answers", { body: { ...REF, answer: { verdict: "reject", message: "No." } } });
    await until(() => seen.includes("event: settled"));
    await until(async () => (await session.waiting()).length === 0);
    // It is valid for a minute more than it says; a machine that stands still uses that up.
    const lasting = (seconds: number) =>
      send("/events", { claims: { ...ADA, exp: Math.floor(Date.now() / 1_000) - 60 + seconds } });
    let brief = await lasting(1);
    if (brief.status !== 200) brief = await lasting(20);
    expect(brief.status).toBe(200);
    expect(await brief.text()).toContain("connected");
    await service.close();
    await reading.catch(() => undefined);
  });

  test("a person that `mayAnswer` throws for may not answer, and the watcher stays", async () => {
    const store = memoryStore();
    await waitingCall(store);
    const { service, send } = await serving(store, {
      mayAnswer: (_principal, { sessionId }) => {
        if (sessionId === "chat-1") throw new Error("The directory is away.");
        return true;
      },
    });
    const listed = await send("/requests");
    expect([listed.status, await listed.json()]).toEqual([200, { requests: [], total: 0 }]);
    const stream = await send("/events");
    let seen = "";
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString();
    })();
    await waitingCall(store, { id: "chat-2" });
    await until(() => seen.includes('"sessionId":"chat-2"'));
    expect(seen).not.toContain('"sessionId":"chat-1"');
    await service.close();
    await reading.catch(() => undefined);
  });

  test("a question is shown to the people of its tenant alone, and answered by them", async () => {
    const store = memoryStore();
    const asker = stubTool("asker", async (_args, ctx) => ctx.ask([{ question: "Which?" }]), {});
    const session = await createSession({
      ...{ id: "chat-1", store, tools: [asker.tool], policy: ["allow asker"] },
      approver: { approve: async () => "later", answer: async () => "later" },
      principal: { user: "eve", tenant: "one" },
    });
    opened.push({ [Symbol.asyncDispose]: () => session.close() });
    await session.run([{ id: "1", name: "asker", arguments: {} }], { id: "turn" });
    const { send } = await serving(store);
    const untenanted = await serving(store, { authentication: UNTENANTED });
    const ofAnother = await send("/requests", { claims: { ...ADA, tenant: "two" } });
    expect(await ofAnother.json()).toEqual({ requests: [], total: 0 });
    expect(await (await untenanted.send("/requests")).json()).toEqual({ requests: [], total: 0 });
    const listed = await (await send("/requests")).json();
    expect(listed).toMatchObject({ total: 1, requests: [{ request: { principal: { tenant: "one" } } }] });
    const body = { sessionId: "chat-1", id: "turn/1/question/1", answer: [["this"]] };
    expect((await untenanted.send("/answers", { body })).status).toBe(404);
    expect((await send("/answers", { body })).status).toBe(202);
    await until(async () => (await session.waiting()).length === 0);
    expect((await session.resume("turn")).results[0]?.data).toEqual([["this"]]);
  });

  test("a question that does not say whose it is is shown to none", async () => {
    const request = { id: "turn/1", sessionId: "chat-1", callId: "1", toolName: "asker", questions: [] };
    const waiting = { sessionId: "chat-1", askedAt: 1, request };
    const store = Object.assign(memoryStore(), { waiting: async () => [waiting] });
    for (const { send } of [await serving(store), await serving(store, { authentication: UNTENANTED })])
      expect(await (await send("/requests")).json()).toEqual({ requests: [], total: 0 });
  });

  test("tokens may be verified by an instance of a class", async () => {
    class Directory {
      readonly #user = "ada";
      async authenticate() {
        return { id: this.#user, principal: { user: this.#user, tenant: "one" } };
      }
    }
    const { send } = await serving(memoryStore(), { authentication: new Directory() });
    expect((await send("/requests")).status).toBe(200);
  });

  test("an address that cannot be read is the client's mistake", async () => {
    const { service } = await serving(memoryStore());
    const { port } = new URL(service.url);
    const authorization = `Bearer ${await issuer.token({ claims: ADA })}`;
    const status = await new Promise((resolve, reject) => {
      const asked = request({ port, host: "127.0.0.1", path: "//", headers: { authorization } }, (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      asked.once("error", reject).end();
    });
    expect(status).toBe(400);
  });

  test("unknown addresses and bodies that are not JSON are refused", async () => {
    const { service, send } = await serving(memoryStore());
    expect((await send("/")).status).toBe(404);
    const token = await issuer.token({ claims: ADA });
    const headers = { authorization: `Bearer ${token}` };
    const plain = await fetch(`${service.url}/answers`, { method: "POST", headers, body: "{}" });
    expect(plain.status).toBe(415);
    const large = await send("/answers", { body: { sessionId: "x".repeat(300_000) } }).catch(() => undefined);
    expect([413, undefined]).toContain(large?.status);
  });
});

describe("webhooks", () => {
  /** A receiver on loopback that answers with the statuses in turn, then with 204. */
  async function receiver(...statuses: readonly number[]) {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const left = [...statuses];
    const server = createServer(async (req, res) => {
      got.push({ headers: req.headers, body: await text(req) });
      res.writeHead(left.shift() ?? 204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    opened.push({ [Symbol.asyncDispose]: close });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
  }

  test("are signed so that the library of the standard verifies them, and tried again", async () => {
    const store = memoryStore();
    const { url, got } = await receiver(500);
    await serving(store, { webhooks: [{ url, secret: SECRET }] });
    await waitingCall(store);
    await until(() => got.length === 2);
    for (const { headers, body } of got) {
      const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>);
      expect(verified).toMatchObject({ type: "approval.waiting", data: { ...REF, toolName: "pay" } });
    }
    const [first, second] = got.map(({ headers }) => headers["webhook-id"]);
    expect(first).toBe(second);
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString("base64")}`);
    expect(() => other.verify(got[0]?.body ?? "", got[0]?.headers as Record<string, string>)).toThrow();
  });

  test("of two services on one store have the same id for one request", async () => {
    const store = memoryStore();
    const { url, got } = await receiver();
    await waitingCall(store);
    await serving(store, { webhooks: [{ url, secret: SECRET }] });
    await serving(store, { webhooks: [{ url, secret: SECRET }] });
    await until(() => got.length === 2);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test.each([
    ["an address that anybody can answer for", { url: "http://hooks.example.com", secret: SECRET }],
    ["a secret that is too short", { url: "https://hooks.example.com", secret: "whsec_AAAA" }],
    ["an unknown field", { url: "https://hooks.example.com", secret: SECRET, retry: 1 }],
  ])("with %s are refused when the service opens", async (_name, webhook) => {
    await expect(serving(memoryStore(), { webhooks: [webhook] })).rejects.toMatchObject({
      code: "invalid_option",
    });
  });
});
