import { expect, test } from "vitest";
import type { MappedTool } from "./effect-map.ts";
import { effectsOf } from "./effects-of.ts";
import { requirementsOf } from "./requirements-of.ts";
import { unknownArguments } from "./unknown-arguments.ts";

const RUN: MappedTool = {
  mode: "destructive",
  effects: [{ capability: "db.drop", target: "{name:database}", stated: "postgres sql" }],
};

test.each<[string, unknown, readonly string[]]>([
  ["a query", "select name from users where id = 3", ["db.read"]],
  ["several queries, on several lines", "select 1;\nselect 2", ["db.read"]],
  ["a change", "insert into users (name) values ('a')", ["db.write"]],
  ["a query with a change behind it", "select 1; drop table users", ["db.drop"]],
  ["a change behind the end of a transaction", "commit; drop table users", ["db.drop"]],
  ["what is no statement", "frobnicate", ["db.drop"]],
  ["an empty text", "", ["db.drop"]],
  ["what is no text", ["select 1"], ["db.drop"]],
  ["nothing", undefined, ["db.drop"]],
])("statements say what a call does to a database: %s", (_what, sql, does) => {
  const effects = effectsOf(RUN, { database: "shop", sql });
  expect(effects).toEqual(does.map((capability) => ({ capability, target: "shop" })));
});

test("the argument with statements is known, and the tool may need whatever they can do", () => {
  expect(unknownArguments(RUN, { database: "shop", sql: "select 1", file: "x" })).toEqual(["file"]);
  expect(requirementsOf(RUN).capabilities?.toSorted()).toEqual([
    "db.drop",
    "db.read",
    "db.write",
    "secret.read",
  ]);
});
