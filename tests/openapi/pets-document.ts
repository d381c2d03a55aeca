/** A small document with something of everything, for a server of this address. */
export function petsDocument(server: string) {
  const pet = {
    type: "object",
    required: ["name"],
    properties: {
      id: { type: "integer", readOnly: true },
      name: { type: "string" },
      tag: { type: "string" },
    },
  };
  const petId = { name: "petId", in: "path", required: true, schema: { type: "string" } };
  const ok = { "200": { description: "ok", content: { "application/json": { schema: pet } } } };
  const json = (schema: object) => ({ required: true, content: { "application/json": { schema } } });
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: server }],
    paths: {
      "/pets": {
        get: {
          operationId: "listPets",
          summary: "List pets",
          tags: ["pets"],
          parameters: [
            { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
            { name: "filter", in: "query", schema: { type: "object" } },
            { name: "X-Trace", in: "header", schema: { type: "string" } },
            { name: "theme", in: "cookie", schema: { type: "string" } },
          ],
          responses: ok,
        },
        post: { operationId: "addPet", tags: ["pets"], requestBody: json(pet), responses: ok },
      },
      "/pets/{petId}": {
        parameters: [petId],
        get: { operationId: "getPet", tags: ["pets"], responses: ok },
        put: { operationId: "putPet", tags: ["pets"], requestBody: json(pet), responses: ok },
        delete: {
          operationId: "deletePet",
          tags: ["pets", "danger"],
          responses: { "204": { description: "gone" } },
        },
      },
      "/petshop": { get: { operationId: "getShop", tags: ["shop"], deprecated: true, responses: ok } },
      "/pictures": {
        post: {
          operationId: "addPicture",
          requestBody: { content: { "multipart/form-data": { schema: { type: "object" } } } },
          responses: ok,
        },
      },
    },
  };
}

/** The same, with these schemes; every operation wants one of them. */
export function guardedDocument(server: string, securitySchemes: Readonly<Record<string, object>>) {
  const names = Object.keys(securitySchemes);
  return {
    ...petsDocument(server),
    components: { securitySchemes },
    security: names.map((name) => ({ [name]: [] })),
  };
}
