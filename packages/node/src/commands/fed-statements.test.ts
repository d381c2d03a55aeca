import { describe, expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

describe("a client of a database", () => {
  const fed = async (line: string) => {
    const { plain, commands: found = [] } = await parseCommand(line, {
      home: "/home/me",
      folder: "/proj",
      shell: "bash",
    });
    return plain ? found.at(-1)?.reading?.does.join(" ") : "not plain";
  };

  test("gets the text of a here-document, a here-string or echo", async () => {
    expect(await fed("psql shop <<'EOF'\nselect 1;\nEOF")).toBe("db.read");
    expect(await fed("timeout 5 sqlite3 app.db <<< 'create table a (b int)'")).toBe("db.write");
    expect(await fed("cd db && echo 'select 1;' | mysql shop")).toBe("db.read");
    expect(await fed("echo 'select 1; drop table a' | mysql shop")).toBe("db.drop");
  });

  test("gets what is not known from everything else", async () => {
    for (const line of [
      "psql shop < a.sql",
      "psql shop",
      "echo -e 'select 1' | psql",
      "echo 'a\\n' | psql",
      "(cat a.sql; echo 'select 1') | psql",
      "echo 'select 1' | tee a.sql | psql",
      "echo 'select 1' > a.sql | psql",
      "for a in b; do echo 'select 1'; done | psql",
      "echo 'select 1' && psql",
      "echo 'select 1' | tee -a b | psql",
    ])
      expect([line, await fed(line)]).toEqual([line, undefined]);
  });

  test("is the only one that may run what it is fed", async () => {
    expect(await fed("python3 <<'EOF'\nprint(1)\nEOF")).toBe("not plain");
    expect(await fed("psql <<EOF\nselect $a\nEOF")).toBe("not plain");
  });
});
