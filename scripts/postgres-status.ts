import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { openPostgresStore } from "@toolkeep/postgres";

/* Says what a database holds: `npm run postgres:status -- --url postgres://localhost/agents [--schema NAME] [--json]`. */
const { values: flags } = parseArgs({
  options: {
    url: { type: "string" },
    schema: { type: "string", default: "toolkeep" },
    json: { type: "boolean", default: false },
  },
});

if (flags.url === undefined) {
  console.error("Name the database: npm run postgres:status -- --url postgres://localhost/agents");
  process.exit(2);
}
// It decrypts nothing, so any key will do.
const keys = [{ id: "status", secret: randomBytes(32) }];
await using store = await openPostgresStore({ url: flags.url, schema: flags.schema, keys });
const status = await store.status();
if (flags.json) console.log(JSON.stringify(status));
else {
  const { periods, pendingArguments, oldestRequestAt, bytes, ...counts } = status;
  for (const [name, count] of Object.entries(counts)) console.log(`${inWords(name)}: ${count}`);
  if (oldestRequestAt !== undefined)
    console.log(`oldest request: ${new Date(oldestRequestAt).toISOString()}`);
  for (const [key, count] of Object.entries(pendingArguments))
    console.log(`raw arguments under the key ${key}: ${count}`);
  for (const { period, sessions, bytes: size } of periods)
    console.log(`created in ${period}: ${sessions} sessions, ${inMegabytes(size)} MB of events`);
  console.log(`on disk: ${inMegabytes(bytes)} MB`);
}

function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function inMegabytes(size: number): string {
  return (size / 1_000_000).toFixed(1);
}
