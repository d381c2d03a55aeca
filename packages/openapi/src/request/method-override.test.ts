import { createSession } from "@toolkeep/core";
import { expect, test } from "vitest";
import { openApiTools } from "../open-document.ts";

const RESPONSES = { 200: { description: "x" } };
const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "pets", version: "1" },
  servers: [{ url: "https://pets.example" }],
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "readPet",
        parameters: [ID, { name: "filter", in: "query", schema: { type: "object" } }],
        responses: RESPONSES,
      },
      post: {
        operationId: "updatePet",
        parameters: [
          ID,
          { name: "filter", in: "query", schema: { type: "object" } },
          { name: "_method", in: "query", schema: { type: "string" } },
          { name: "_Method", in: "header", schema: { type: "string" } },
          { name: "X-HTTP-Method-Override", in: "query", schema: { type: "string" } },
        ],
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } } },
        responses: RESPONSES,
      },
    },
  },
};

/** The failure of a call where writing is allowed and deleting denied; `undefined` if it gets as far as the network. */
async function failureOf(name: string, args: object) {
  const { tools } = await openApiTools({ document: DOCUMENT, prefix: "pets" });
  const policy = ["allow net.fetch *", "allow http.write *", "deny http.delete *", 'deny http.write "PUT *"'];
  await using session = await createSession({ tools, policy });
  return (await session.call(`pets__${name}`, { id: "1", ...args })).failure;
}

test.each([
  ["updatePet", { body: { _method: "DELETE" } }],
  ["updatePet", { body: { _method: ["DELETE"] } }],
  ["updatePet", { body: { _METHOD: "delete" } }],
  ["updatePet", { body: { " _method": "DELETE" } }],
  ["updatePet", { body: { ".method": "DELETE" } }],
  ["updatePet", { body: { pet: { _method: " delete " } } }],
  ["updatePet", { body: { pets: [{ _method: "DELETE" }] } }],
  ["updatePet", { body: { "x-http-method-override": "DELETE" } }],
  ["updatePet", { body: { XHttpMethodOverride: "DELETE" } }],
  ["updatePet", { body: { _HttpMethod: "DELETE" } }],
  ["updatePet", { body: { "_METHOD[]": "DELETE" } }],
  ["updatePet", { body: { "_method[0]": "DELETE" } }],
  ["updatePet", { body: { "form[_method]": "DELETE" } }],
  ["updatePet", { body: { _verb: "DELETE" } }],
  ["updatePet", { body: { override_method: "DELETE" } }],
  ["updatePet", { body: { "X-Original-Method": "DELETE" } }],
  ["updatePet", { filter: { _method: "DELETE" } }],
  ["updatePet", { _method: "DELETE" }],
  ["updatePet", { _Method: "DELETE" }],
  ["updatePet", { "X-HTTP-Method-Override": "DELETE" }],
  ["updatePet", { body: { _method: "PURGE" } }],
  ["readPet", { filter: { _method: "POST" } }],
])("a field that asks for another method is refused: %s %j", async (name, args) => {
  expect(await failureOf(name, args)).toMatchObject({
    code: "effects_failed",
    message: expect.stringContaining("another method"),
  });
});

test("a field that asks for a method of the same kind is held to the rules on that method", async () => {
  expect(await failureOf("updatePet", { body: { _method: "PUT" } })).toMatchObject({ code: "denied" });
  for (const body of [
    { _method: "PATCH" },
    { method: "DELETE" },
    { paymentMethod: "x" },
    { name: "_method" },
  ])
    expect((await failureOf("updatePet", { body }))?.code).not.toMatch(/denied|effects_failed/);
});
