import { describe, expect, test } from "vitest";
import { requestPath } from "../request/build-request.ts";
import { fillTemplate, readTemplate } from "../request/path-template.ts";
import type { Parameter } from "../request/read-parameters.ts";
import { readServer } from "./server-address.ts";
import { Unreadable } from "./unreadable.ts";

const SERVER = readServer("https://api.example.com/v1");

function pathOf(id: string): string {
  const parameter: Parameter = {
    name: "id",
    location: "path",
    style: "simple",
    explode: false,
    isRequired: true,
    isJson: false,
    schema: {},
  };
  const plan = { template: readTemplate("/pets/{id}/owner"), parameters: new Map([["id", parameter]]) };
  return requestPath(plan, { id }, SERVER);
}

describe("an argument", () => {
  test.each([
    "a/../../../admin",
    "../admin",
    "..\\admin",
    "a\\..\\..",
    "..;b=x",
    "a/..;b=x/c",
    "%2e%2e",
    "%2e%2e%2fadmin",
    "..%2fadmin",
    "..%5cadmin",
    "a/.",
    ".. /admin",
    "..\t/admin",
    "%c0%ae%c0%ae%c0%afadmin",
  ])("%j, that leads upwards for anybody who reads the path, is refused", (id) => {
    expect(() => pathOf(id)).toThrow("would lead upwards");
  });

  test.each(["a/b", "group/project", "v1.2", "...", "a..b", ".hidden", "a;b=c", "100%", "https://a.test/x"])(
    "%j is one thing in its place",
    (id) => {
      expect(pathOf(id)).toBe(`/v1/pets/${encodeURIComponent(id)}/owner`);
    },
  );

  test("that makes dots together with a parameter behind it is refused", () => {
    const template = readTemplate("/pets/{a}{b}/owner");
    const values = new Map([
      ["a", ".."],
      ["b", ";b=x"],
    ]);
    expect(() => fillTemplate(template, values)).toThrow("would lead upwards");
  });
});

describe("a path of a document", () => {
  test("that leads upwards in plain words is left out, and a server's is read as browsers read it", () => {
    expect(() => readTemplate("/a/%2e%2e/admin")).toThrow("leads upwards");
    expect(readServer("https://api.example.com/a/%2e%2e/admin").path).toBe("/admin");
  });

  test("has one spelling, whatever the document chose", () => {
    expect(readTemplate("/%61dmin/%7Eusers/a%3ab").pieces).toEqual(["/admin/~users/a%3Ab"]);
    expect(readServer("https://api.example.com/%61pi/%7e").path).toBe("/api/~");
  });

  test.each([
    "//admin/users",
    "/admin//users",
    "/a%2F..%2Fadmin",
    "/admin%2fusers",
    "/admin%5Cusers",
    "/admin;x/users",
    "/a/%252e%252e/admin",
    "/100%",
  ])("%s, that could be taken for another one, is left out", (path) => {
    expect(() => readTemplate(path)).toThrow(Unreadable);
    expect(() => readServer(`https://api.example.com${path}`)).toThrow();
  });
});
