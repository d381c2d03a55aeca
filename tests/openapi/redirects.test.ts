import type { RequestListener } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answerJson, type OpenApiBench, openApiBench } from "./open-api-bench.ts";
import { guardedDocument, petsDocument } from "./pets-document.ts";

const VALUES = { PETS_TOKEN: "token/very+secret=1", CLIENT_ID: "client", CLIENT_SECRET: "s3cret-of-client" };

let bench: OpenApiBench;
let answer: RequestListener;

beforeAll(async () => {
  bench = await openApiBench((request, response) => answer(request, response), VALUES);
});
afterAll(() => bench.close());
afterEach(() => bench.seen.splice(0));

test.each([
  ["deletePet", 307, { petId: "1" }],
  ["putPet", 308, { petId: "1", body: { name: "Rex" } }],
  ["getPet", 302, { petId: "1" }],
] as const)(
  "%s that is sent on to a path of the same server is not followed there: %i is the answer",
  async (name, status, args) => {
    answer = (request, response) => {
      if (request.url === "/admin/users") return answerJson(response, { done: true });
      response.writeHead(status, { location: "/admin/users" }).end();
    };
    const set = await bench.tools(petsDocument(bench.origin));
    const result = await bench.call(set, name, args);
    expect(result.data).toMatchObject({ status, headers: { location: "/admin/users" } });
    expect(bench.seen.map(({ url }) => url)).toEqual(["/pets/1"]);
  },
);

test("a client's secret is not sent on from where tokens are asked for", async () => {
  answer = (request, response) => {
    if (request.url === "/token") response.writeHead(307, { location: "/other" }).end();
    else answerJson(response, { access_token: "t", token_type: "bearer" });
  };
  const flows = { clientCredentials: { tokenUrl: "/token", scopes: {} } };
  const document = guardedDocument(bench.origin, { main: { type: "oauth2", flows } });
  const auth = { main: { clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET" } };
  const set = await bench.tools(document, { auth, baseUrl: bench.origin });
  expect((await bench.call(set, "listPets")).failure).toMatchObject({ code: "unavailable" });
  expect(bench.seen.map(({ url }) => url)).toEqual(["/token"]);
});
