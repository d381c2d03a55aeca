import fc from "fast-check";
import { expect, test } from "vitest";
import { listOperations } from "../document/list-operations.ts";
import { nameTools } from "./name-tools.ts";

function named(ids: readonly (string | undefined)[], prefix?: string): readonly string[] {
  const paths = Object.fromEntries(
    ids.map((id, index) => [`/p${index}`, { get: id === undefined ? {} : { operationId: id } }]),
  );
  const { operations } = listOperations({ paths });
  const names = nameTools(operations, prefix);
  return operations.map((operation) => names.get(operation) ?? "");
}

test("a tool is called by the operation's id, behind the prefix and two underscores", () => {
  expect(named(["getPet"])).toEqual(["getPet"]);
  expect(named(["getPet"], "pets")).toEqual(["pets__getPet"]);
});

test("an operation without an id is called by its method and path", () => {
  const { operations } = listOperations({ paths: { "/pets/{id}/toys": { get: {}, delete: {} } } });
  expect([...nameTools(operations, undefined).values()]).toEqual(["get_pets_id_toys", "delete_pets_id_toys"]);
});

test("names that would be the same get a hash, except for the one that is its own id", () => {
  const [one, other, verbatim] = named(["a/b", "a.b", "a_b"]);
  expect(verbatim).toBe("a_b");
  expect(one).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(other).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(one).not.toBe(other);
});

test("a long name is shortened and ends in a hash", () => {
  const [one, other] = named([`${"x".repeat(80)}1`, `${"x".repeat(80)}2`], "pets");
  expect(one).toMatch(/^pets__x+_[0-9a-f]{8}$/);
  expect(one).toHaveLength(64);
  expect(one).not.toBe(other);
});

test("any ids give as many names, all of which a tool can have", () => {
  const id = fc.option(fc.string({ minLength: 1, maxLength: 100 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(id, { maxLength: 30 }), fc.constantFrom(undefined, "pets"), (ids, prefix) => {
      const names = named(ids, prefix);
      expect(new Set(names).size).toBe(ids.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }),
  );
});
