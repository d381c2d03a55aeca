import pg from "pg";
import { describe } from "vitest";
import { testPlantedTriggers } from "../stores/planted-triggers.ts";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const DOES = "CREATE FUNCTION @.z() RETURNS trigger LANGUAGE plpgsql AS";
const NOTHING = `${DOES} $$ BEGIN RETURN NULL; END $$;`;
const REMOVES = `${DOES} $$ BEGIN DELETE FROM @.batches b WHERE b.session = new.session; RETURN NULL; END $$;`;

describe.skipIf(POSTGRES_URL === "")("in a database of PostgreSQL", () => {
  const openStore = testStores();

  testPlantedTriggers(async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    return {
      store,
      async plant(sql) {
        const client = new pg.Client({ connectionString: POSTGRES_URL });
        await client.connect();
        await client.query(sql.replaceAll("@.", `${schema}.`));
        await client.end();
      },
    };
  }, [
    ...["batches", "turns", "standing_events", "sessions", "requests", "pending", "inbox"].map(
      (table) =>
        [
          `a trigger that ignores what is written to ${table}`,
          `${NOTHING} CREATE TRIGGER z BEFORE INSERT ON @.${table} FOR EACH ROW EXECUTE FUNCTION @.z()`,
        ] as const,
    ),
    [
      "a trigger that removes what was written",
      `${REMOVES} CREATE TRIGGER z AFTER INSERT ON @.batches FOR EACH ROW EXECUTE FUNCTION @.z()`,
    ],
    [
      "a trigger that removes it when the transaction ends",
      `${REMOVES} CREATE CONSTRAINT TRIGGER z AFTER INSERT ON @.batches DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION @.z()`,
    ],
    [
      "a trigger on one month",
      `${NOTHING} DO $$ BEGIN EXECUTE format('CREATE TRIGGER z BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION @.z()',
        (SELECT b.tableoid::regclass FROM @.batches b LIMIT 1)); END $$`,
    ],
    ["a rule", "CREATE RULE z AS ON INSERT TO @.requests DO INSTEAD NOTHING"],
  ]);
});
