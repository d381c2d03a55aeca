import { expect, test } from "vitest";
import { firstServer, readServer } from "./server-address.ts";

test("the first server counts, its variables replaced by their defaults", () => {
  const servers = [
    {
      url: "https://{region}.example.com:{port}/{version}/",
      variables: {
        region: { default: "eu", enum: ["eu", "us"] },
        port: { default: "8443" },
        version: { default: "v2" },
      },
    },
    { url: "https://second.example.com" },
  ];
  expect(firstServer(servers, undefined)).toEqual({
    origin: "https://eu.example.com:8443",
    host: "eu.example.com",
    path: "/v2",
  });
});

test("a variable without a default, or with one that it cannot have, needs `baseUrl`", () => {
  expect(() => firstServer([{ url: "https://{x}.example.com" }], undefined)).toThrow(/Set `baseUrl`/);
  const variables = { x: { default: "eu", enum: ["us"] } };
  expect(() => firstServer([{ url: "https://{x}.example.com", variables }], undefined)).toThrow(
    /Set `baseUrl`/,
  );
  expect(() => firstServer([{ url: "https://{toString}.example.com", variables: {} }], undefined)).toThrow(
    /Set `baseUrl`/,
  );
});

test("a relative server, or none, stands on the address that the document was fetched from", () => {
  expect(() => firstServer([{ url: "/v1" }], undefined)).toThrow(/Set `baseUrl`/);
  expect(() => firstServer(undefined, undefined)).toThrow(/Set `baseUrl`/);
  expect(firstServer([{ url: "/v1" }], "https://example.com/docs/openapi.json")).toMatchObject({
    origin: "https://example.com",
    path: "/v1",
  });
});

test.each([
  "ftp://example.com",
  "file:///etc",
  "javascript:alert(1)",
  "https://user:pass@example.com",
  "https://example.com/?key=1",
  "https://example.com/#x",
  "nonsense",
])("%s is no server", (address) => {
  expect(() => readServer(address)).toThrow(/cannot be used/);
});

test("a host is named as rules name it", () => {
  expect(readServer("https://API.Example.com./").host).toBe("api.example.com");
  expect(readServer("http://[::1]:8080/x/")).toMatchObject({ host: "[::1]", path: "/x" });
});
