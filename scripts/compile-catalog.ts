import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compiledCatalog, compiledSchema, compiledServers } from "./catalog/compiled-catalog.ts";
import { ROOT } from "./root.ts";

/*
 * Makes one file of the entries under packages/catalog/programs, without their sources and examples, and one of their
 * schema, without its descriptions; and one file of the MCP servers under packages/catalog/servers. `--check` fails if the files in the repository are others.
 */
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const CATALOG = join(ROOT, "packages/catalog");

const compiled = {
  "compiled.json": compiledCatalog(join(CATALOG, "programs")),
  "compiled-servers.json": compiledServers(join(CATALOG, "servers")),
  "compiled-schema.json": compiledSchema(join(CATALOG, "program.schema.json")),
};
for (const [name, text] of Object.entries(compiled)) {
  const file = join(CATALOG, "src", name);
  if (!values.check) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`packages/catalog/src/${name} is not what the entries say: run \`npm run catalog\`.`);
    process.exitCode = 1;
  }
}
