import { readCommand } from "@toolkeep/catalog";
import { describe, expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";
import { provedStatements } from "./parsed-statements.ts";

const READS: readonly string[] = [
  "select 1",
  "with t as (select id from users) select count(*) from t",
  "with recursive t(n) as (values (1) union all select n + 1 from t where n < 9) search depth first by n set o select * from t",
  "select id, row_number() over (partition by team order by id) from users",
  "select sum(x) over w from t window w as (order by y rows between 1 preceding and current row)",
  "select u.id, l.total from users u cross join lateral (select sum(amount) as total from orders o where o.user_id = u.id) l",
  "select a::int, cast(b as numeric(10, 2)), '1 day'::interval from t",
  "select * from generate_series(1, 10) as g(n)",
  "select * from generate_series(now() - interval '7 days', now(), interval '1 hour') with ordinality as t(at, n)",
  "select data -> 'a' ->> 'b', data #>> '{a,b}' from events where data @> '{\"a\": 1}' and data ? 'b'",
  "select * from jsonb_to_recordset('[{\"a\": 1}]') as x(a int, b text)",
  "select * from json_table('[1]', '$[*]' columns (n int path '$')) as t",
  "select json_object('a': 1, 'b': 2), json_arrayagg(x) from t",
  "explain select * from users where id = 1",
  "explain (analyze, buffers, format json) select count(*) from users",
  "explain update users set name = 'a' where id = 1",
  "select count(*) filter (where active), array_agg(distinct team order by team) from users",
  "select percentile_cont(0.95) within group (order by ms) from requests",
  "select team, count(*) from users group by grouping sets ((team), ()) having count(*) > 1",
  "select * from (values (1, 'a'), (2, 'b')) as t(n, s) where (n, s) in (select 1, 'a')",
  "select distinct on (team) team, name from users order by team, created_at desc nulls last limit 5 offset 1",
  "select a from t union all select b from u except select c from v",
  "select case when a > 1 then 'x' else coalesce(b, 'y') end, a between symmetric 1 and 2 from t",
  "select extract(epoch from at), at at time zone 'utc', date_trunc('day', at) from t",
  "select substring(a from 1 for 2), trim(both ' ' from a), position('b' in a), overlay(a placing 'x' from 1) from t",
  "select * from t where a ilike '%x%' and b similar to 'a|b' and c ~* '^x' and d is not distinct from e",
  "select (array[1, 2])[1], (array[1, 2, 3])[1:2], 1 = any(array[1]), (row(1, 2)).f1",
  "select * from big tablesample bernoulli (1) repeatable (7)",
  'select pg_catalog.lower(name), name collate "C" from users',
  "select * from users u left join orders o using (id) natural join teams",
  "copy (select id, email from users) to stdout with (format csv, header)",
  "copy users (id) to stdout",
  "begin; select 1; set statement_timeout = '5s'; show search_path; commit",
  "table users",
  "select xmlelement(name a, 1), current_date, current_user, localtimestamp(0)",
  "select exists (select 1 from t for_all), array(select id from t), not exists (select 1)",
];

const SECRETS: readonly string[] = [
  "select rolname, rolpassword from pg_authid",
  'select * from pg_catalog."pg_shadow"',
];

const NOT_PROVED: readonly string[] = [
  "with d as (delete from users returning *) select * from d",
  "with i as (insert into t values (1) returning *) select * from i",
  "with u as (update t set a = 1 returning *) select * from u",
  "with m as (merge into t using s on t.id = s.id when matched then delete returning *) select * from m",
  "explain analyze delete from users",
  "explain (analyze false) delete from users",
  "explain (analyze) with d as (delete from t returning 1) select * from d",
  "explain analyze create table x as select 1",
  "explain execute plan",
  "copy users to program 'sh'",
  "copy users to '/tmp/users.csv'",
  "copy users from stdin",
  "copy users from program 'id'",
  "copy (delete from users returning *) to stdout",
  "do $$ begin delete from users; end $$",
  "select * into copy_of_users from users",
  "create table x as select 1",
  "select * from users for update",
  "select * from users for no key update skip locked",
  "select * from (select * from users for share) s",
  "select pg_read_file('/etc/passwd')",
  "select pg_sleep(100)",
  "select pg_catalog.pg_terminate_backend(1)",
  "select * from pg_ls_dir('/')",
  "select nextval('users_id_seq')",
  "select setval('users_id_seq', 1)",
  "select set_config('role', 'admin', false)",
  "select lo_import('/etc/passwd')",
  "select dblink('dbname=x', 'delete from users')",
  "select query_to_xml('delete from users', true, true, '')",
  "select delete_all_users()",
  "select shop.lower('a')",
  "select \"Lower\"('a')",
  "select 1 operator(shop.+) 2",
  "select * from t order by a using operator(shop.<)",
  "select * from t where a = any (select purge(id) from u)",
  "select * from t tablesample shop.everything (1)",
  "select * from lateral purge(1) as p(x)",
  "select sum(purge(id)) over (order by id) from t",
  "select 1; drop table users",
  "select 1; select purge()",
  "set role admin",
  "set session authorization admin",
  "reset all",
  "prepare p as select 1",
  "execute p",
  "declare c cursor for select 1",
  "lock table users",
  "prepare transaction 'x'",
  "commit prepared 'x'",
  "notify x",
  "vacuum",
  "call purge()",
  "refresh materialized view v",
  "select $1",
  "selec 1",
  "",
];

describe("a statement for PostgreSQL", () => {
  test.each(READS)("is proved to read by its tree: %s", async (statement) => {
    expect(await provedStatements([statement])).toEqual([[statement, "db.read"]]);
  });

  test.each(SECRETS)("reads secrets: %s", async (statement) => {
    expect(await provedStatements([statement])).toEqual([[statement, "db.read secret.read"]]);
  });

  test.each(NOT_PROVED)("stays what it was: %s", async (statement) => {
    expect(await provedStatements([statement])).toEqual([]);
  });

  test("stays what it was where there is no parser, or it fails", async () => {
    expect(await provedStatements(["select 1"], () => Promise.resolve(undefined))).toEqual([]);
    const failing = () => {
      throw new Error("out of memory");
    };
    expect(await provedStatements(["select 1"], () => Promise.resolve(failing))).toEqual([]);
  });
});

describe("a client of PostgreSQL", () => {
  const doneBy = async (line: string) => {
    const { commands = [] } = await parseCommand(line, { home: "/home/me", folder: "/proj", shell: "bash" });
    const { reading, argv = [] } = commands.at(-1) ?? {};
    return (reading ?? readCommand(argv))?.does.join(" ");
  };
  const LATERAL =
    "select u.id from users u cross join lateral (select s.x from generate_series(1, 3) s(x)) l where a operator(pg_catalog.=) 1";

  test("is read by the tree where the small grammar does not tell", async () => {
    expect(await doneBy(`psql shop -c '${LATERAL}'`)).toBe("db.read");
    expect(await doneBy(`psql shop -c 'select 1' -c '${LATERAL}'`)).toBe("db.read");
    expect(await doneBy(`docker exec db psql -U app -c '${LATERAL}'`)).not.toContain("db.drop");
    expect(await doneBy(`psql shop <<'EOF'\n${LATERAL};\nEOF`)).toBe("db.read");
  });

  test("is not read by the tree where the client has a part in it", async () => {
    for (const line of [
      `psql shop -c '\\! id' -c '${LATERAL}'`,
      `psql shop -c '${LATERAL}; drop table users'`,
      `psql shop <<'EOF'\n${LATERAL}\\g |sh\nEOF`,
      `psql shop <<'EOF'\n${LATERAL} and b = :x;\nEOF`,
      `docker exec db psql -c '${LATERAL}; drop table users'`,
    ])
      expect(await doneBy(line), line).toContain("db.drop");
  });
});
