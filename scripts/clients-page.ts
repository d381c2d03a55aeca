import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clientsPage } from "../tests/cli/client-answers.ts";
import { ROOT } from "./root.ts";

/** Checks that docs/reference/clients.md matches the program; `--write` writes it. */
const { values: flags } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const PAGE = join(ROOT, "docs/reference/clients.md");

if (flags.write) writeFileSync(PAGE, clientsPage());
else if (readFileSync(PAGE, "utf8") !== clientsPage()) {
  console.error("docs/reference/clients.md is not current: run `npm run clients-page -- --write`");
  process.exitCode = 1;
}
