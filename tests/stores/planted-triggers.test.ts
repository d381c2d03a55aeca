import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, describe } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { testPlantedTriggers } from "./planted-triggers.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const ignoring = (table: string) =>
  `CREATE TRIGGER z BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`;

describe("in a database of SQLite", () => {
  testPlantedTriggers(async () => {
    const path = temporaryFolder();
    const store = openSqliteStore({ path, durability: "normal" });
    opened.push(store);
    return {
      store,
      plant(sql) {
        const db = new DatabaseSync(join(path, "toolkeep.db"));
        db.exec(sql);
        db.close();
      },
    };
  }, [
    ...["batches", "turns", "standing_events", "sessions", "inbox"].map(
      (table) => [`a trigger that ignores what is written to ${table}`, ignoring(table)] as const,
    ),
    [
      "a trigger that removes what was written",
      "CREATE TRIGGER z AFTER INSERT ON batches BEGIN DELETE FROM batches WHERE id = new.id; END",
    ],
    [
      "a trigger that changes what was written",
      "CREATE TRIGGER z AFTER INSERT ON batches BEGIN UPDATE batches SET bytes = x'00' WHERE id = new.id; END",
    ],
    [
      "a trigger on another table",
      "CREATE TABLE y (x); CREATE TRIGGER z AFTER UPDATE ON sessions BEGIN DELETE FROM batches; END",
    ],
  ]);
});
