import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledGuides } from "./guides/compiled-guides.ts";
import { ROOT } from "./root.ts";

/** Makes one file of the tool guides and kits of packages/ai, so that no application needs a YAML parser to use them. */
const PACKAGE = join(ROOT, "packages/ai");
writeFileSync(join(PACKAGE, "src/prompt/compiled-guides.json"), compiledGuides(PACKAGE));
