import { describe, expect, test } from "vitest";
import { readStatements } from "./read-statements.ts";

const READS: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    "select count(*) from users where name = 'a;b'",
    "WITH t (a) AS (SELECT 1) SELECT lower(a) FROM t;",
    "with recursive t(n) as (values (1) union all select n+1 from t where n < 5) select sum(n) from t",
    'select "update", "into" from "delete"',
    "select $$drop table x$$, $a$ into $a$",
    "select a::int, b::varchar(20) from t -- update\n where a <> 1",
    "explain (analyze, buffers) select 1",
    "explain delete from t where id = 1",
    "show search_path",
    "begin; select 1; commit",
    "set statement_timeout = '5s'; select 1",
    "\\d+ users",
    "\\dt",
    "select 1;\n\\x on\nselect 2;",
    "select pg_size_pretty(pg_total_relation_size('t'))",
    "select pg_catalog.pg_get_viewdef('v')",
  ],
  mysql: [
    "show create table t",
    "select * from t\\G",
    "use shop; show tables",
    "desc t",
    "select `into` from t",
  ],
  sqlite: [
    ".tables",
    ".schema users",
    "pragma table_info(t)",
    "select [a b] from t",
    ".headers on\nselect 1;",
  ],
  duckdb: ["from 'a.csv' limit 3", "describe select * from read_parquet(['a.parquet', 'b.parquet'])"],
  mongo: ["db.users.find({age: {$gt: 3}}).limit(5)", "show dbs", "printjson(db.users.countDocuments({}))"],
};

const CHANGES: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    "insert into t (a) values (1)",
    "update t set a = 1 where id = 3",
    "create table t (a varchar(3))",
  ],
};

const WORST: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    "with d as (delete from t returning *) select * from d",
    "explain analyze delete from t",
    'explain ("analyze") delete from t',
    "explain analyze refresh materialized view v",
    "select * into x from t",
    "select 1into x from t",
    "select * from t for update",
    "select pg_read_file('/etc/passwd')",
    "select \"pg_read_file\"('/etc/passwd')",
    "select U&\"pg\\005fread_file\"('/etc/passwd')",
    "select shop.lower('a')",
    "select * from a, evil(1) as (x int)",
    "select '\\'; drop table t; --'",
    "select $a$ $A$ , $a$ ; drop table t; -- $A$",
    "select /* /* */ 1; drop table t /* */",
    "select 1 -- \r; drop table t",
    "copy t to program 'sh'",
    "\\! id",
    "\\copy t from program 'id'",
    "\\d `id`",
    "\\d t \\! id",
    "select 1 \\g |sh",
    "select 'a\n\\! id\n'",
    "update t set a = 1",
    "update t set a = 1 where 1 = 1",
    "delete from t where id = 1",
    "",
  ],
  mysql: [
    "select 1 /*! into outfile '/tmp/x' */",
    "select 1 --1\n",
    "select 1 \\! id",
    "select load_file('a')",
  ],
  sqlite: [
    ".shell id",
    ".once |sh",
    "select * from fsdir('.')",
    "select * from 'fsdir'",
    "pragma user_version=3",
  ],
  duckdb: ["from 'https://x.org/a.csv'", "from 'x.xlsx'", "select * from query('drop table t')"],
  tsql: ["select 1 delete from t", "select 1\n:!! id", "select '$(x)'"],
  mongo: ["db.users.drop()", "db['users']['drop']()", "db\nprocess.env", "db.u.aggregate([{'$out': 'x'}])"],
};

function rows(table: Readonly<Record<string, readonly string[]>>): readonly (readonly [string, string])[] {
  return Object.entries(table).flatMap(([language, texts]) => texts.map((text) => [language, text] as const));
}

describe("a text for a database", () => {
  test.each(rows(READS))("of %s only reads: %j", (language, text) => {
    expect(readStatements(text, language).does).toBe("db.read");
  });

  test.each(rows(CHANGES))("of %s changes something: %j", (language, text) => {
    expect(readStatements(text, language).does).toBe("db.write");
  });

  test.each(rows(WORST))("of %s is not proved to read: %j", (language, text) => {
    expect(readStatements(text, language).does).toBe("db.drop");
  });
});
