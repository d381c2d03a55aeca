import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Decider, openDecider } from "../wrappers/decide-lines.ts";

let decider: Decider;
beforeAll(async () => {
  decider = await openDecider();
});
afterAll(() => decider[Symbol.asyncDispose]());

describe("under the recommended policy, clients of databases", () => {
  test.each([
    "psql -h localhost -d shop -c 'select count(*) from users'",
    "psql shop <<'EOF'\nselect * from users limit 3;\nselect 2;\nEOF",
    "psql -At shop <<< 'select version()'",
    "echo 'select name from users;' | sqlite3 data/app.db",
    "sqlite3 data/app.db '.schema users'",
    "mysql -u root shop -e 'show tables'",
    "redis-cli --scan --pattern 'user:*' | head",
    "duckdb -c \"select * from 'sub/a.csv' limit 5\"",
    "mongosh shop --quiet --eval 'db.users.find({}).limit(3)'",
    "psql shop -c '\\dt'",
  ])("may read without asking: %j", async (line) => {
    expect(await decider.decide(line)).toMatchObject({ action: "allow" });
  });

  test.each([
    "psql shop < schema.sql",
    "psql shop -f schema.sql",
    "psql shop <<'EOF'\nselect 1;\n\\! id\nEOF",
    "psql shop <<'EOF'\nwith d as (delete from users returning id) select * from d;\nEOF",
    "cat a.sql | sqlite3 data/app.db",
    "echo 'drop table users;' | sqlite3 data/app.db",
    "sqlite3 data/app.db 'insert into users (id) values (1)'",
    "sqlite3 /etc/app.db 'create table a (b int)'",
    "duckdb -c \"select * from '/home/other/a.csv'\"",
    "mysql shop -e 'select 1 into outfile \"/tmp/a\"'",
    "redis-cli FLUSHALL",
    "echo 'select 1' | xargs psql -c",
    "docker exec db psql -U app -c 'truncate users'",
  ])("ask before they change anything: %j", async (line) => {
    expect(await decider.decide(line)).toMatchObject({ action: "ask" });
  });
});
