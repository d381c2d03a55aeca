import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { fsRead } from "@toolkeep/core/internal";
import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpaWatchdogOptions, opaWatchdog } from "./opa-watchdog.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const posted: { body: unknown; headers: IncomingMessage["headers"] }[] = [];
let answer: Answer;
let url: string;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  posted.push({ body: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers });
  answer(response, request);
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/data/toolkeep/decision`;
});

beforeEach(() => {
  posted.length = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const call = policyCall({ tool: "read", args: { path: "a" }, effects: [fsRead("/repo/a")] });

function evaluate(given: Answer, options: Partial<OpaWatchdogOptions> = {}) {
  answer = given;
  const context = policyContext({
    sessionId: "s1",
    agents: ["researcher"],
    taint: new Set(["untrusted"] as const),
    sandbox: "files",
  });
  return opaWatchdog({ url, ...options }).evaluate(call, context);
}

function says(result: unknown): Answer {
  return (response) => response.end(JSON.stringify({ result }));
}

test("the server gets the call, its principal, and the policy context", async () => {
  await evaluate(says(true), { headers: { authorization: "Bearer x" } });
  expect(posted[0]?.body).toEqual({
    input: {
      tool: "read",
      origin: "code/code",
      arguments: { path: "a" },
      effects: [{ capability: "fs.read", target: "/repo/a", known: "declared" }],
      principal: { role: "agent", workspace: "main" },
      session: "s1",
      agents: ["researcher"],
      taint: ["untrusted"],
      sandbox: "files",
    },
  });
  expect(posted[0]?.headers).toMatchObject({ authorization: "Bearer x", "content-type": "application/json" });
});

test.each([
  [true, { action: "allow" }],
  [{ allow: true }, { action: "allow" }],
  [false, { action: "deny", reason: "The policy server refuses it." }],
  [
    { allow: false, reason: "not on Sundays" },
    { action: "deny", reason: "not on Sundays" },
  ],
  [
    { allow: false, ask: true, reason: "look first" },
    { action: "ask", reason: "look first" },
  ],
  [
    { allow: true, ask: true },
    { action: "ask", reason: "The policy server wants it asked." },
  ],
])("the result %j is the verdict %j", async (result, verdict) => {
  expect(await evaluate(says(result))).toEqual(verdict);
});

describe("whatever is no clear answer throws", () => {
  test.each<[string, Answer]>([
    ["no result", (response) => response.end("{}")],
    ["a result that is null", says(null)],
    ["a result of another kind", says("yes")],
    ["a list", says([true])],
    ["an allow that is no boolean", says({ allow: "true" })],
    ["an ask that is no boolean", says({ allow: true, ask: 0 })],
    ["a reason that is no text", says({ allow: true, reason: 7 })],
    ["no JSON", (response) => response.end("true, mostly")],
    ["nothing", (response) => response.end()],
    ["bytes that are no text", (response) => response.end(Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
    ["another status", (response) => response.writeHead(203).end('{"result":true}')],
    ["an error", (response) => response.writeHead(500).end('{"result":true}')],
    ["an end in the middle", (response) => response.writeHead(200, { "content-length": "99" }).destroy()],
  ])("%s", async (_what, given) => {
    await expect(evaluate(given)).rejects.toThrow();
  });

  test("a redirect, which is not followed", async () => {
    await expect(
      evaluate((response, request) => {
        if (request.url?.endsWith("/elsewhere")) response.end('{"result":true}');
        else response.writeHead(307, { location: `${url}/elsewhere` }).end();
      }),
    ).rejects.toThrow();
    expect(posted).toHaveLength(1);
  });

  test("more than 64 KB, also when it is packed small", async () => {
    const large = JSON.stringify({ result: true, x: "x".repeat(70_000) });
    await expect(evaluate((response) => response.end(large))).rejects.toThrow(/larger than 65536/);
    const packed = gzipSync(large);
    await expect(
      evaluate((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed)),
    ).rejects.toThrow(/larger than 65536/);
  });

  test("no answer in time, and one that begins and does not end", async () => {
    await expect(evaluate(() => {}, { timeoutMs: 50 })).rejects.toThrow(/timeout|aborted/i);
    await expect(evaluate((response) => response.write("{"), { timeoutMs: 50 })).rejects.toThrow(
      /timeout|aborted/i,
    );
  });

  test("unreachable", async () => {
    await expect(evaluate(says(true), { url: "http://127.0.0.1:1/" })).rejects.toThrow();
  });
});

test("in a policy it narrows, never widens, and denies when it fails", async () => {
  const decide = async (action: "allow" | "deny", given: Answer) => {
    answer = given;
    const rules = [{ permission: "*", action }] as const;
    return compilePolicy({ rules, watchdogs: [opaWatchdog({ url })] }).decide(call, policyContext());
  };
  expect(await decide("allow", says(true))).toMatchObject({ action: "allow" });
  expect(await decide("deny", says(true))).toMatchObject({ action: "deny", layer: "rule" });
  expect(await decide("allow", says(false))).toMatchObject({ action: "deny", matchedBy: "decision-point" });
  expect(await decide("allow", (response) => response.writeHead(500).end())).toMatchObject({
    action: "deny",
    matchedBy: "decision-point",
    reason: expect.stringContaining("500"),
  });
});

test.each([
  { url: "ftp://127.0.0.1/" },
  { url: "not an address" },
  { url: "http://user:word@127.0.0.1/" },
  { url: "http://127.0.0.1/", timeoutMs: 0 },
  { url: "http://127.0.0.1/", timeoutMs: 1e9 },
])("%o is refused", (options) => {
  expect(() => opaWatchdog(options)).toThrow(expect.objectContaining({ code: "invalid_option" }));
});
