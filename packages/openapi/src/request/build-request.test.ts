import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readServer } from "../document/server-address.ts";
import { buildRequest, type CallArguments, joinPairs, requestPath } from "./build-request.ts";
import { readTemplate } from "./path-template.ts";
import type { BodyPart } from "./read-body.ts";
import type { Parameter, ParameterLocation } from "./read-parameters.ts";
import type { RequestPlan } from "./request-plan.ts";

const SERVER = readServer("https://api.example.com/v1/");

/** Texts that mean something in an address, and any other. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom(...".. . / \\ ? # %2e %2F @ : // a é ;".split(" "), "\r\n", "\t"))
    .map((list) => list.join("")),
  fc.constantFrom(
    "https://evil.test/",
    "//evil.test",
    "\\\\evil.test",
    "..%2f..",
    ".%2e",
    "x@evil.test",
    "\u0000",
  ),
);

describe("a path", () => {
  test.each(["/pets/{id}", "/pets/{id}/owner", "/a/{id}{id2}/b", "/files/.{id}", "/x/{id}.json"])(
    "like %s never leaves its server, whatever the arguments",
    (path) => {
      const plan = planOf(path, { id: "path", ...(path.includes("id2") ? { id2: "path" } : {}) });
      fc.assert(
        fc.property(hostile, hostile, (id, id2) => {
          const made = pathOrFailure(plan, { id, id2 });
          if (made === undefined) return;
          const url = new URL(`https://api.example.com${made}`);
          expect(url.host).toBe("api.example.com");
          expect(url.pathname).toBe(made);
          expect(url.pathname.split("/")).toHaveLength(`/v1${path}`.split("/").length);
          expect(url.pathname.startsWith(`/v1${path.slice(0, path.indexOf("{"))}`)).toBe(true);
          expect(url.search + url.hash).toBe("");
        }),
        { numRuns: Number(process.env["TOOLKEEP_RUNS"] ?? 500) },
      );
    },
  );

  test("with a plain value is the value in its place, encoded once", () => {
    const plan = planOf("/pets/{id}", { id: "path" });
    expect(requestPath(plan, { id: "a b/c%2F*" }, SERVER)).toBe("/v1/pets/a%20b%2Fc%252F%2A");
  });

  test.each(["", ".", ".."])("with %j in it is refused", (id) => {
    expect(() => requestPath(planOf("/pets/{id}", { id: "path" }), { id }, SERVER)).toThrow(/part of a path/);
  });

  test("made of dots by two values together is refused", () => {
    const plan = planOf("/x/{a}{b}", { a: "path", b: "path" });
    expect(() => requestPath(plan, { a: ".", b: "." }, SERVER)).toThrow(/lead upwards/);
  });

  test.each(["/a/../b", "/a/%2e%2E/b", "/a?x=1", "/a#b", "/a b", "no-slash"])(
    "of the document like %j is refused",
    (path) => {
      expect(() => readTemplate(path)).toThrow();
    },
  );
});

test("a query that is made from any texts reads back as those texts, and has no other names", () => {
  const plan = planOf("/x", { q: "query", r: "query" });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), hostile, (q, r) => {
      fc.pre(q.isWellFormed() && r.isWellFormed());
      const read = new URLSearchParams(joinPairs(buildRequest(plan, { q, r }).query));
      expect([...read]).toEqual([
        ["q", q],
        ["r", r],
      ]);
    }),
  );
});

test("a header with a line end, or with what is no byte, is refused before it is sent", () => {
  const plan = planOf("/x", { "X-Trace": "header" });
  for (const value of ["a\r\nX-Admin: 1", "a\nb", "\u0000", "→"])
    expect(() => buildRequest(plan, { "X-Trace": value })).toThrow(/not allowed in a header/);
  expect(buildRequest(plan, { "X-Trace": "a, b" }).headers).toEqual({ "x-trace": "a, b" });
});

test("a cookie cannot begin another one", () => {
  const plan = planOf("/x", { theme: "cookie" });
  expect(buildRequest(plan, { theme: "dark; admin=1" }).cookies).toEqual([["theme", "dark%3B%20admin%3D1"]]);
});

test("bodies are written as their type wants them", () => {
  const content = { a: 1, b: ["x", "y z"], c: { d: true }, e: null };
  expect(bodyOf("json", content)).toBe(JSON.stringify(content));
  expect(bodyOf("text", "plain")).toBe("plain");
  const form = new URLSearchParams(bodyOf("form", content));
  expect([...form]).toEqual([
    ["a", "1"],
    ["b", "x"],
    ["b", "y z"],
    ["c", '{"d":true}'],
  ]);
});

test("an argument that is null is left out of all but the body", () => {
  expect(buildRequest(planOf("/x", { q: "query" }), { q: null }).query).toEqual([]);
});

function planOf(path: string, directories: Readonly<Record<string, ParameterLocation>>): RequestPlan {
  const parameters = new Map(
    Object.entries(directories).map(([name, location]): [string, Parameter] => [
      name,
      {
        name,
        location,
        style: location === "path" || location === "header" ? "simple" : "form",
        explode: false,
        isRequired: true,
        isJson: false,
        schema: {},
      },
    ]),
  );
  return { template: readTemplate(path), parameters };
}

function bodyOf(kind: BodyPart["kind"], content: unknown): string {
  const part: BodyPart = { kind, contentType: "text/plain", isRequired: true, schema: {}, fields: new Map() };
  const plan = { ...planOf("/x", {}), body: { argument: "body", part } };
  return buildRequest(plan, { body: content }).body ?? "";
}

/** The path, or nothing where it is refused as it should be. */
function pathOrFailure(plan: RequestPlan, args: CallArguments): string | undefined {
  try {
    return requestPath(plan, args, SERVER);
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_arguments" });
    return undefined;
  }
}
