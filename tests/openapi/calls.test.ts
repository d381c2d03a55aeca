import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiTools } from "@toolkeep/openapi";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerJson, type OpenApiBench, openApiBench } from "./open-api-bench.ts";
import { petsDocument } from "./pets-document.ts";

let bench: OpenApiBench;
let answer: RequestListener = (_, response) => answerJson(response, { id: 1, name: "Rex" });

beforeAll(async () => {
  bench = await openApiBench((request, response) => answer(request, response));
});
afterAll(() => bench.close());
afterEach(() => bench.seen.splice(0));

async function pets() {
  return await bench.tools(petsDocument(`${bench.origin}/v1`));
}

describe("[C114] a document", () => {
  test("[C114] gives one tool per operation, from an object, a text, a file or an address", async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolkeep-openapi-"));
    const text = JSON.stringify(petsDocument(`${bench.origin}/v1`));
    const path = join(folder, "pets.json");
    await writeFile(path, text);
    const fetched = async () => new Response(text);
    const sets = [
      await openApiTools({ document: petsDocument(`${bench.origin}/v1`) }),
      await openApiTools({ document: { text: text } }),
      await openApiTools({ document: path }),
      await openApiTools({ document: "https://example.com/pets.json", fetch: fetched }),
    ];
    await rm(folder, { recursive: true });
    for (const set of sets)
      expect(set.tools.map(({ name }) => name)).toEqual([
        "pets__listPets",
        "pets__addPet",
        "pets__getPet",
        "pets__putPet",
        "pets__deletePet",
      ]);
  });

  test("[C114] is filtered by ids, tags and paths, and by all of them together", async () => {
    const document = petsDocument(bench.origin);
    const names = async (options: object) =>
      (await bench.tools(document, options)).tools.map(({ name }) => name);
    expect(await names({ operations: ["getPet"] })).toEqual(["getPet"]);
    expect(await names({ tags: ["danger"] })).toEqual(["deletePet"]);
    expect(await names({ pathPrefix: "/pets/" })).toEqual([
      "listPets",
      "addPet",
      "getPet",
      "putPet",
      "deletePet",
    ]);
    expect(await names({ pathPrefix: "/petshop", deprecated: true })).toEqual(["getShop"]);
    expect(await names({ tags: ["pets"], operations: ["getPet", "getShop"] })).toEqual(["getPet"]);
    expect(await names({ operations: ["getPet"], prefix: "pets" })).toEqual(["pets__getPet"]);
    const { diagnostics } = await bench.tools(document, { operations: ["gotPet"] });
    expect(diagnostics).toEqual([
      { code: "unknown_operation", message: 'No operation has the id "gotPet".' },
    ]);
  });

  test("reports what it omits", async () => {
    const { diagnostics } = await pets();
    expect(diagnostics).toMatchObject([
      { subject: "POST /pictures", message: expect.stringContaining("multipart/form-data") },
    ]);
  });
});

test("a call sends what its arguments say, where the document wants it", async () => {
  const set = await pets();
  await bench.call(set, "listPets", {
    tags: ["a b", "c&d"],
    filter: { size: 3 },
    "X-Trace": "t1",
    theme: "dark",
  });
  await bench.call(set, "putPet", { petId: "a/b", body: { name: "Rex" } });
  const [list, put] = bench.seen;
  expect(list).toMatchObject({ method: "GET", url: "/v1/pets?tags=a%20b&tags=c%26d&size=3" });
  expect(list?.headers).toMatchObject({ "x-trace": "t1", cookie: "theme=dark" });
  expect(put).toMatchObject({ method: "PUT", url: "/v1/pets/a%2Fb", body: '{"name":"Rex"}' });
  expect(put?.headers["content-type"]).toBe("application/json");
});

describe("an answer", () => {
  test("in JSON is data, with the status and the headers that say how to go on", async () => {
    answer = (_, response) =>
      response
        .writeHead(200, {
          "content-type": "application/json",
          link: '</v1/pets?page=2>; rel="next"',
          "set-cookie": "a=b",
        })
        .end('{"items":[1],"next":"/v1/pets?page=2"}');
    const { ok, data } = await bench.call(await pets(), "listPets");
    expect(ok).toBe(true);
    expect(data).toEqual({
      status: 200,
      headers: { "content-type": "application/json", link: '</v1/pets?page=2>; rel="next"' },
      body: { items: [1], next: "/v1/pets?page=2" },
    });
    expect(bench.seen).toHaveLength(1);
  });

  test.each([404, 409, 422, 500, 503])("with status %i is data and no failure", async (status) => {
    answer = (_, response) => answerJson(response, { error: "no" }, status);
    const result = await bench.call(await pets(), "getPet", { petId: "1" });
    expect(result).toMatchObject({ ok: true, data: { status, body: { error: "no" } } });
  });

  test("without a body has none", async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect((await bench.call(await pets(), "deletePet", { petId: "1" })).data).toEqual({
      status: 204,
      headers: {},
    });
  });

  test("that is text is text, JSON that is none is text, and bytes are named and not shown", async () => {
    answer = (_, response) => response.writeHead(200, { "content-type": "text/csv" }).end("a,b\n1,2\n");
    expect((await bench.call(await pets(), "getPet", { petId: "1" })).data).toMatchObject({
      body: "a,b\n1,2\n",
    });
    answer = (_, response) => response.writeHead(502, { "content-type": "application/json" }).end("<html>");
    expect((await bench.call(await pets(), "getPet", { petId: "1" })).data).toMatchObject({ body: "<html>" });
    answer = (_, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.alloc(2_000, 7));
    expect((await bench.call(await pets(), "getPet", { petId: "1" })).data).toMatchObject({
      body: { content_type: "image/png", bytes: 2_000 },
    });
  });

  test("of more than 64 KB is cut, and the whole is kept", async () => {
    const items = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `pet number ${id}` }));
    answer = (_, response) => answerJson(response, items);
    await using session = await bench.session(await pets());
    const result = await session.call({ id: "c1", name: "listPets", arguments: {} });
    expect(JSON.stringify(result.data).length).toBeLessThan(70_000);
    expect(result.truncation).toMatchObject({ by: "runtime", path: expect.any(String) });
  });

  test("that does not come in time is a failure", async () => {
    answer = () => {};
    const set = await bench.tools(petsDocument(bench.origin), { timeoutMs: 200 });
    const result = await bench.call(set, "getPet", { petId: "1" });
    expect(result).toMatchObject({ ok: false, failure: { code: "timed_out" } });
  });
});

test("arguments that the document does not know are refused before anything is sent", async () => {
  const set = await pets();
  expect(await bench.call(set, "getPet", { petId: "1", host: "evil.test" })).toMatchObject({
    failure: { code: "invalid_arguments" },
  });
  expect(await bench.call(set, "addPet", { body: { tag: "x" } })).toMatchObject({
    failure: { code: "invalid_arguments" },
  });
  expect(bench.seen).toHaveLength(0);
});

test("a read is tried again when the network fails, and a write is not", async () => {
  answer = (request) => request.socket.destroy();
  const set = await pets();
  await using session = await bench.session(set, { limits: { retry: { attempts: 3, unitMs: 1 } } });
  await session.call({ id: "c1", name: "getPet", arguments: { petId: "1" } });
  expect(bench.seen).toHaveLength(3);
  for (const [id, name, args] of [
    ["c2", "putPet", { petId: "1", body: { name: "Rex" } }],
    ["c3", "deletePet", { petId: "1" }],
    ["c4", "addPet", { body: { name: "Rex" } }],
  ] as const) {
    bench.seen.splice(0);
    await session.call({ id, name, arguments: args });
    expect(bench.seen).toHaveLength(1);
  }
});

test("PUT and DELETE are tried again where the host application asks for it, and POST is not", async () => {
  const { tools } = await bench.tools(petsDocument(bench.origin), { retriesIdempotent: true });
  const idempotent = tools.filter((tool) => tool.idempotent).map(({ name }) => name);
  expect(idempotent).toEqual(["listPets", "getPet", "putPet", "deletePet"]);
});
