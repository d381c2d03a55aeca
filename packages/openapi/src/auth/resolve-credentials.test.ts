import { expect, test } from "vitest";
import { listOperations } from "../document/list-operations.ts";
import { readServer } from "../document/server-address.ts";
import { chooseCredentials } from "./choose-credentials.ts";
import type { Credential } from "./credential.ts";
import { resolveCredentials } from "./resolve-credentials.ts";

const SERVER = readServer("https://api.example.com/v1");

const DOCUMENT = {
  openapi: "3.1.0",
  paths: {
    "/open": { get: { security: [] } },
    "/either": { get: { security: [{ login: [] }, { key: [], token: [] }, {}] } },
    "/maybe": { get: { security: [{}, { token: [] }] } },
    "/usual": { get: {} },
    "/scoped": { get: { security: [{ oauth: ["pets:read"] }] } },
  },
  security: [{ token: [] }],
  components: {
    securitySchemes: {
      token: { type: "http", scheme: "Bearer" },
      login: { type: "http", scheme: "basic" },
      key: { type: "apiKey", in: "header", name: "X-Key" },
      host: { type: "apiKey", in: "header", name: "Host" },
      oauth: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "/token", scopes: { "pets:read": "" } } },
      },
      away: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "https://evil.test/token", scopes: {} } },
      },
    },
  },
};

function resolved(auth: Readonly<Record<string, Credential>>, document: object = DOCUMENT) {
  return resolveCredentials(auth, document as typeof DOCUMENT, SERVER);
}

function chosen(path: string, auth: Readonly<Record<string, Credential>>) {
  const operation = listOperations(DOCUMENT).operations.find((one) => one.path === path);
  if (operation === undefined) throw new Error(path);
  return chooseCredentials(operation, resolved(auth), DOCUMENT);
}

const TOKEN = { token: { bearer: "TOKEN" } };

test.each(["User-Agent", "accept-language", "If-None-Match", "range", "Cache-Control"])(
  "no key is sent as %s, which goes to any server",
  (name) => {
    const securitySchemes = { key: { type: "apiKey", in: "header", name } };
    const document = { ...DOCUMENT, components: { securitySchemes } };
    expect(() => resolved({ key: { apiKey: "KEY" } }, document)).toThrow(/no key can be sent as/);
  },
);

test("a document that says it knows no schemes leaves it to the host application", () => {
  const document = { ...DOCUMENT, components: { securitySchemes: {} } };
  const auth = { key: { apiKey: "KEY", in: "header", name: "X-Key" } } as const;
  const [operation] = listOperations(DOCUMENT).operations.filter(({ path }) => path === "/usual");
  const credentials = resolved(auth, document);
  expect(operation === undefined ? [] : chooseCredentials(operation, credentials, document)).toEqual([
    { kind: "apiKey", env: "KEY", in: "header", name: "X-Key" },
  ]);
});

test("the document says where a credential goes", () => {
  expect([...resolved({ ...TOKEN, key: { apiKey: "KEY" } }).values()]).toEqual([
    { kind: "bearer", env: "TOKEN" },
    { kind: "apiKey", env: "KEY", in: "header", name: "X-Key" },
  ]);
});

test.each<[string, Readonly<Record<string, Credential>>, RegExp]>([
  [
    "for a scheme that the document does not have",
    { tokn: { bearer: "TOKEN" } },
    /has no such scheme.*token/,
  ],
  ["of another kind", { key: { bearer: "TOKEN" } }, /no bearer token/],
  ["that is a value and no name", { token: { bearer: "sk-live-123 456" } }, /names of environment variables/],
  ["that would be sent as `Host`", { host: { apiKey: "KEY" } }, /no key can be sent as "Host"/],
  [
    "whose secret would go elsewhere",
    { away: { clientId: "ID", clientSecret: "SECRET" } },
    /send the secret to "evil.test"/,
  ],
])("a credential %s is refused", (_what, auth, message) => {
  expect(() => resolved(auth)).toThrow(message);
  expect(() => resolved(auth)).not.toThrow(/sk-live/);
});

test("the host application may name another host for tokens; the document's own host needs no permission", () => {
  const client = { clientId: "ID", clientSecret: "SECRET" };
  const away = { ...client, tokenUrl: "https://login.example.com/token" };
  expect(resolved({ away }).get("away")).toMatchObject({ tokenUrl: "https://login.example.com/token" });
  expect(resolved({ oauth: client }).get("oauth")).toMatchObject({
    tokenUrl: "https://api.example.com/token",
  });
});

test("a document without schemes is told where a key goes", () => {
  const bare = { openapi: "3.1.0", paths: {} };
  expect(() => resolved({ any: { apiKey: "KEY" } }, bare)).toThrow(/set `in` and `name`/);
  expect(resolved({ any: { apiKey: "KEY", in: "query", name: "key" } }, bare).get("any")).toMatchObject({
    in: "query",
  });
});

test("an operation gets what it wants and no more", () => {
  expect(chosen("/open", TOKEN)).toEqual([]);
  expect(chosen("/usual", TOKEN)).toEqual([{ kind: "bearer", env: "TOKEN" }]);
  expect(chosen("/maybe", TOKEN)).toEqual([{ kind: "bearer", env: "TOKEN" }]);
  expect(chosen("/either", TOKEN)).toEqual([]);
  expect(chosen("/either", { ...TOKEN, key: { apiKey: "KEY" } })).toHaveLength(2);
  expect(chosen("/usual", {})).toEqual([]);
  expect(() => chosen("/usual", { key: { apiKey: "KEY" } })).toThrow(/requires the credentials "token"/);
});

test("a token is asked for with the scopes of the operation, unless the host application says which", () => {
  const client = { clientId: "ID", clientSecret: "SECRET" };
  expect(chosen("/scoped", { oauth: client })).toMatchObject([{ scopes: ["pets:read"] }]);
  expect(chosen("/scoped", { oauth: { ...client, scopes: ["all"] } })).toMatchObject([{ scopes: ["all"] }]);
});
