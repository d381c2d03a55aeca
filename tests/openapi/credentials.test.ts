import type { RequestListener } from "node:http";
import type { Credential } from "@toolkeep/openapi";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerJson, type OpenApiBench, openApiBench } from "./open-api-bench.ts";
import { guardedDocument, petsDocument } from "./pets-document.ts";

const VALUES = { PETS_TOKEN: "token/very+secret=1", CLIENT_ID: "client", CLIENT_SECRET: "s3cret-of-client" };
const BEARER = { type: "http", scheme: "bearer" };

let bench: OpenApiBench;
let answer: RequestListener = (_, response) => answerJson(response, {});

beforeAll(async () => {
  bench = await openApiBench((request, response) => answer(request, response), VALUES);
});
afterAll(() => bench.close());
afterEach(() => bench.seen.splice(0));

async function guarded(scheme: object, credential: Credential) {
  const document = guardedDocument(bench.origin, { main: scheme });
  return await bench.tools(document, { auth: { main: credential }, baseUrl: bench.origin });
}

test("a bearer token goes into its header, and an API key where the document says", async () => {
  answer = (_, response) => answerJson(response, {});
  await bench.call(await guarded(BEARER, { bearer: "PETS_TOKEN" }), "listPets");
  expect(bench.seen[0]?.headers.authorization).toBe(`Bearer ${VALUES.PETS_TOKEN}`);
  const directories = [
    { in: "header", name: "X-Key" },
    { in: "query", name: "key" },
    { in: "cookie", name: "session" },
  ];
  for (const place of directories)
    await bench.call(await guarded({ type: "apiKey", ...place }, { apiKey: "PETS_TOKEN" }), "listPets");
  const encoded = encodeURIComponent(VALUES.PETS_TOKEN);
  expect(bench.seen[1]?.headers["x-key"]).toBe(VALUES.PETS_TOKEN);
  expect(bench.seen[2]?.url).toBe(`/pets?key=${encoded}`);
  expect(bench.seen[3]?.headers.cookie).toBe(`session=${encoded}`);
});

test("what a tool needs says the host and the names, and never a value", async () => {
  const { tools } = await guarded(BEARER, { bearer: "PETS_TOKEN" });
  expect(tools[0]?.requires).toMatchObject({ net: { hosts: ["one.test"] }, env: ["PETS_TOKEN"] });
  expect(JSON.stringify(tools)).not.toContain(VALUES.PETS_TOKEN);
});

test("a credential that the server repeats is in nothing that comes back", async () => {
  const secret = VALUES.PETS_TOKEN;
  answer = (request, response) =>
    response
      .writeHead(401, {
        "content-type": "application/json",
        location: `/x?key=${encodeURIComponent(secret)}`,
      })
      .end(JSON.stringify({ error: `bad ${request.headers.authorization}`, [secret]: [secret] }));
  const result = await bench.call(await guarded(BEARER, { bearer: "PETS_TOKEN" }), "listPets");
  expect(result.data).toMatchObject({ status: 401, body: { error: "bad Bearer [credential]" } });
  expect(JSON.stringify(result)).not.toContain("very+secret");
  expect(JSON.stringify(result)).not.toContain(encodeURIComponent(secret));
});

test("a credential that is not set, or cannot be sent, is a failure that does not say its value", async () => {
  const unset = await bench.call(await guarded(BEARER, { bearer: "NOT_SET" }), "listPets");
  expect(unset.failure).toMatchObject({ code: "unavailable", message: expect.stringContaining("NOT_SET") });
  const other = await openApiBench(() => {}, { PETS_TOKEN: "two\r\nlines" });
  const set = await other.tools(guardedDocument(other.origin, { main: BEARER }), {
    auth: { main: { bearer: "PETS_TOKEN" } },
    baseUrl: other.origin,
  });
  const broken = await other.call(set, "listPets");
  await other.close();
  expect(broken.failure?.message).toContain("PETS_TOKEN");
  expect(JSON.stringify(broken)).not.toContain("two");
  expect(bench.seen).toHaveLength(0);
});

test("no argument can stand in for a credential", async () => {
  const set = await guarded({ type: "apiKey", in: "query", name: "size" }, { apiKey: "PETS_TOKEN" });
  const result = await bench.call(set, "listPets", { filter: { size: "mine" } });
  expect(result.failure).toMatchObject({ code: "invalid_arguments" });
  const own = await guarded({ type: "apiKey", in: "header", name: "x-trace" }, { apiKey: "PETS_TOKEN" });
  const list = own.tools.find(({ name }) => name === "listPets");
  expect(JSON.stringify(list?.inputSchema)).not.toContain("X-Trace");
  expect(bench.seen).toHaveLength(0);
});

describe("a document does not choose who gets credentials", () => {
  const auth = { main: { bearer: "PETS_TOKEN" } };

  test("without encryption", async () => {
    const document = guardedDocument("http://api.example.com", { main: BEARER });
    await expect(bench.tools(document, { auth })).rejects.toThrow(
      /credentials to http:\/\/api\.example\.com/,
    );
  });

  test("on another host than it was fetched from", async () => {
    const { openApiTools } = await import("@toolkeep/openapi");
    const document = guardedDocument("https://evil.test", { main: BEARER });
    const fetch = async () => Response.json(document);
    const address = "https://example.com/openapi.json";
    await expect(openApiTools({ document: address, auth, fetch })).rejects.toThrow(
      /credentials to https:\/\/evil\.test/,
    );
    const named = await openApiTools({ document: address, auth, fetch, baseUrl: "https://api.example.com" });
    expect(named.tools[0]?.requires).toMatchObject({ net: { hosts: ["api.example.com"] } });
  });

  test("on another port than it was fetched from", async () => {
    const { openApiTools } = await import("@toolkeep/openapi");
    const document = guardedDocument("https://example.com:8443", { main: BEARER });
    const fetch = async () => Response.json(document);
    const got = openApiTools({ document: "https://example.com/openapi.json", auth, fetch });
    await expect(got).rejects.toThrow(/credentials to https:\/\/example\.com:8443/);
  });

  test("for one operation that is on a server of its own", async () => {
    const document = petsDocument("https://api.example.com");
    const away = { ...document.paths["/pets"].post, servers: [{ url: "https://evil.test" }] };
    const paths = { ...document.paths, "/pets": { ...document.paths["/pets"], post: away } };
    const { diagnostics, tools } = await bench.tools({ ...document, paths });
    expect(tools.map(({ name }) => name)).not.toContain("addPet");
    expect(diagnostics).toContainEqual(expect.objectContaining({ subject: "POST /pets" }));
  });
});

describe("OAuth client credentials", () => {
  const scheme = { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } };
  const client = { clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET" };
  let given = 0;
  let valid = "";

  /** Gives a new token each time, which replaces the one before. */
  const oauth: RequestListener = (request, response) => {
    if (request.url === "/token") {
      given += 1;
      valid = `token-number-${given}`;
      answerJson(response, { access_token: valid, token_type: "Bearer", expires_in: 3_600 });
    } else
      answerJson(
        response,
        { seen: request.headers.authorization },
        request.headers.authorization === `Bearer ${valid}` ? 200 : 401,
      );
  };

  test("get one token for many calls, through the I/O of the call", async () => {
    answer = oauth;
    const set = await guarded(scheme, client);
    await using session = await bench.session(set);
    const calls = [1, 2, 3].map((id) => session.call({ id: `c${id}`, name: "listPets", arguments: {} }));
    for (const result of await Promise.all(calls)) {
      expect(result.data).toMatchObject({ status: 200, body: { seen: "Bearer [credential]" } });
    }
    const asked = bench.seen.filter(({ url }) => url === "/token");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: "POST", body: "grant_type=client_credentials" });
    expect(asked[0]?.headers.authorization).toBe(
      `Basic ${btoa("client:s3cret-of-client".replaceAll("-", "%2D"))}`,
    );
  });

  test("[second attack 04] send nothing twice that may have changed something, and have another token then", async () => {
    answer = oauth;
    const set = await guarded(scheme, client);
    await using session = await bench.session(set);
    await session.call({ id: "c1", name: "listPets", arguments: {} });
    valid = "another one";
    bench.seen.splice(0);
    const pay = { name: "addPet", arguments: { body: { name: "Rex" } } };
    expect((await session.call({ ...pay, id: "c2" })).data).toMatchObject({ status: 401 });
    expect(bench.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /pets"]);
    expect((await session.call({ ...pay, id: "c3" })).data).toMatchObject({ status: 200 });
  });

  test("ask once more when a kept token is refused, and only once", async () => {
    answer = oauth;
    const set = await guarded(scheme, client);
    await using session = await bench.session(set);
    await session.call({ id: "c1", name: "listPets", arguments: {} });
    valid = "revoked";
    bench.seen.splice(0);
    const again = await session.call({ id: "c2", name: "listPets", arguments: {} });
    expect(again.data).toMatchObject({ status: 200 });
    expect(bench.seen.map(({ url }) => url)).toEqual(["/pets", "/token", "/pets"]);
    answer = (request, response) =>
      request.url === "/token" ? oauth(request, response) : answerJson(response, {}, 401);
    bench.seen.splice(0);
    expect((await session.call({ id: "c3", name: "listPets", arguments: {} })).data).toMatchObject({
      status: 401,
    });
    expect(bench.seen.map(({ url }) => url)).toEqual(["/pets", "/token", "/pets"]);
  });

  test("that are refused are a failure which repeats nothing that the server said", async () => {
    answer = (_, response) =>
      answerJson(response, { error: "invalid_client", error_description: VALUES.CLIENT_SECRET }, 401);
    const result = await bench.call(await guarded(scheme, client), "listPets");
    expect(result.failure).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("invalid_client"),
    });
    expect(JSON.stringify(result)).not.toContain(VALUES.CLIENT_SECRET);
  });
});
