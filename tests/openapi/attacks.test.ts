import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openApiTools } from "@toolkeep/openapi";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerJson, type OpenApiBench, openApiBench } from "./open-api-bench.ts";
import { petsDocument } from "./pets-document.ts";

let bench: OpenApiBench;
let redirect: string | undefined;

beforeAll(async () => {
  bench = await openApiBench((_, response) => {
    if (redirect === undefined) answerJson(response, {});
    else response.writeHead(302, { location: redirect }).end();
  });
});
afterAll(() => bench.close());
afterEach(() => {
  redirect = undefined;
  bench.seen.splice(0);
});

describe("arguments", () => {
  test.each([
    "..",
    ".",
    "",
    "../../admin",
    "https://evil.test/",
    "//evil.test",
    "x?admin=1",
    "x#y",
    "x\r\nHost: evil.test",
    "\\..\\admin",
    "%2e%2e",
    "..;/admin",
  ])("like %j stay within the place of their parameter", async (petId) => {
    const set = await bench.tools(petsDocument(`${bench.origin}/v1`));
    const result = await bench.call(set, "getPet", { petId });
    if (!result.ok) expect(bench.seen).toHaveLength(0);
    else {
      const [, version, pets, last, ...more] = bench.seen[0]?.url?.split("/") ?? [];
      expect([version, pets, more]).toEqual(["v1", "pets", []]);
      expect(decodeURIComponent(last ?? "")).toBe(petId);
      expect(bench.seen[0]?.headers.host).toBe(new URL(bench.origin).host);
    }
  });

  test("cannot delete a collection by naming nothing in it", async () => {
    const set = await bench.tools(petsDocument(bench.origin));
    const result = await bench.call(set, "deletePet", { petId: "" });
    expect(result.ok).toBe(false);
    expect(result.failure?.message).toContain("is empty");
    expect(bench.seen).toHaveLength(0);
  });

  test("cannot add a header", async () => {
    const set = await bench.tools(petsDocument(bench.origin));
    const result = await bench.call(set, "listPets", { "X-Trace": "a\r\nX-Admin: true" });
    expect(result.ok).toBe(false);
    expect(bench.seen).toHaveLength(0);
  });

  test("with names that every object has are refused, and pollute nothing", async () => {
    const set = await bench.tools(petsDocument(bench.origin));
    const args = JSON.parse('{"__proto__":{"petId":"1"},"constructor":"x"}') as Record<string, unknown>;
    expect((await bench.call(set, "getPet", args)).failure?.code).toBe("invalid_arguments");
    const body = JSON.parse('{"name":"Rex","__proto__":{"polluted":true}}') as object;
    await bench.call(set, "addPet", { body });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("a server", () => {
  test.each([
    "http://169.254.169.254",
    "http://127.0.0.1",
    "http://10.0.0.1",
    "http://[::1]",
    "http://localhost",
    "http://metadata.google.internal",
  ])("%s that a document names is refused by the network I/O", async (server) => {
    const set = await bench.tools(petsDocument(server));
    const result = await bench.call(set, "getPet", { petId: "1" });
    expect(result.failure?.code).toBe("out_of_scope");
  });

  test("that sends the request on to another host is not followed there", async () => {
    redirect = `${bench.elsewhere}/pets/1`;
    const result = await bench.call(await bench.tools(petsDocument(bench.origin)), "getPet", { petId: "1" });
    expect(result.data).toMatchObject({ status: 302, headers: { location: redirect } });
    expect(bench.seen).toHaveLength(1);
  });
});

describe("references", () => {
  test.each(["file:///etc/passwd", "/etc/passwd", "../secrets.yaml", "https://evil.test/pet.json"])(
    "to %s are never read: the operation is left out, the others stay",
    async ($ref) => {
      const document = petsDocument("https://api.example.com");
      const requestBody = { content: { "application/json": { schema: { $ref } } } };
      const paths = {
        ...document.paths,
        "/bad": { post: { operationId: "bad", requestBody, responses: {} } },
        "/worse": { $ref },
        "/parameter": { get: { operationId: "worst", parameters: [{ $ref }], responses: {} } },
      };
      const { tools, diagnostics } = await openApiTools({ document: { ...document, paths } });
      expect(tools).toHaveLength(5);
      const left = diagnostics.filter(({ message }) => message.includes("not in this document"));
      expect(left.map(({ subject }) => subject).toSorted()).toEqual([
        "/worse",
        "GET /parameter",
        "POST /bad",
      ]);
      expect(JSON.stringify([tools, diagnostics])).not.toContain("root:");
    },
  );

  test("to an address are not fetched: a server that waits for it hears nothing", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const $ref = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
    const document = petsDocument("https://api.example.com");
    await openApiTools({
      document: {
        ...document,
        components: { schemas: { Evil: { $ref } }, parameters: { Evil: { $ref } } },
      },
    });
    server.close();
    expect(asked).toBe(0);
  });
});

describe("a document", () => {
  test("that expands without end is read in time", async () => {
    const schemas: Record<string, unknown> = { S0: { type: "string" } };
    for (let level = 1; level <= 50; level += 1) {
      const $ref = `#/components/schemas/S${level - 1}`;
      schemas[`S${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } };
    }
    const requestBody = { content: { "application/json": { schema: { $ref: "#/components/schemas/S50" } } } };
    const paths = {
      "/x": { post: { operationId: "x", requestBody, responses: { "200": { description: "ok" } } } },
    };
    const started = performance.now();
    const set = await openApiTools({
      document: {
        ...petsDocument("https://api.example.com"),
        paths,
        components: { schemas },
      },
    });
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(set.tools).toHaveLength(1);
  });

  test("whose schema would be checked without end is left out", async () => {
    const schemas: Record<string, unknown> = { S0: { type: "string" } };
    for (let level = 1; level <= 50; level += 1) {
      const $ref = `#/components/schemas/S${level - 1}`;
      schemas[`S${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const requestBody = { content: { "application/json": { schema: { $ref: "#/components/schemas/S50" } } } };
    const paths = {
      "/x": { post: { operationId: "x", requestBody, responses: { "200": { description: "ok" } } } },
    };
    const set = await openApiTools({
      document: {
        ...petsDocument("https://api.example.com"),
        paths,
        components: { schemas },
      },
    });
    expect(set.tools).toHaveLength(0);
    expect(set.diagnostics).toContainEqual(expect.objectContaining({ subject: "POST /x" }));
  });

  test("with names that every object has gives tools like any other", async () => {
    const text = `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"servers":[{"url":"https://api.example.com"}],
      "paths":{"/constructor/{__proto__}":{"get":{"operationId":"toString","parameters":[
        {"name":"__proto__","in":"path","required":true,"schema":{"type":"string"}},
        {"name":"constructor","in":"query","schema":{"type":"string"}}],"responses":{}}},"__proto__":{"get":{}}}}`;
    const { tools } = await openApiTools({ document: { text: text } });
    expect(tools.map(({ name }) => name)).toEqual(["x__toString"]);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ["__proto___path"] });
    expect(JSON.stringify(tools[0]?.inputSchema)).toContain('"constructor_query"');
  });

  test("cannot pose on a screen by its title or its words", async () => {
    const info = { title: "Pets\u001b[2J\nAllow everything?\u{202E}", version: "1" };
    const { origin, tools } = await openApiTools({
      document: { ...petsDocument("https://api.example.com"), info },
    });
    expect(origin.id).toMatch(/^Pets\\x1b\[2J Allow everything\?<U\+202E>$/);
    expect(tools.every(({ label }) => !/[\p{Cc}\p{Cf}]/u.test(label))).toBe(true);
  });
});

describe("a document from an address", () => {
  test("is fetched over https alone, and not from where it redirects to", async () => {
    await expect(openApiTools({ document: "http://example.com/x.json" })).rejects.toThrow(/only https/);
    await expect(openApiTools({ document: "file:///etc/passwd" })).rejects.toThrow(/only https/);
    const moved = async () =>
      new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
    await expect(openApiTools({ document: "https://example.com/x.json", fetch: moved })).rejects.toThrow(
      /redirects/,
    );
  });

  test("that never ends is given up at its bound", async () => {
    const piece = new Uint8Array(1_000_000).fill(32);
    let pieces = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(piece);
      },
    });
    const fetch = async () => new Response(endless);
    await expect(openApiTools({ document: "https://example.com/x.json", fetch })).rejects.toThrow(
      /larger than/,
    );
    expect(pieces).toBeLessThan(40);
  });

  test("is fetched from this machine as well, by the fetch of this process", async () => {
    const server = createServer((_, response) => answerJson(response, petsDocument("/v1")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { tools } = await openApiTools({ document: `${origin}/openapi.json` });
    server.close();
    expect(tools[0]?.label).toBe(`GET /pets on ${origin.slice("http://".length)}`);
  });
});
