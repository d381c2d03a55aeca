import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compiledCatalog } from "./catalog/compiled-catalog.ts";
import { ROOT } from "./root.ts";

/*
 * Makes one file of the entries under packages/catalog/programs, without their sources and examples. `--check` fails if
 * the file in the repository is another.
 */
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const FILE = join(ROOT, "packages/catalog/src/compiled.json");

const text = compiledCatalog(join(ROOT, "packages/catalog/programs"));
if (!values.check) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error("packages/catalog/src/compiled.json is not what the entries say: run `npm run catalog`.");
  process.exitCode = 1;
}
