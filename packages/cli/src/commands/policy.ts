import type { Command } from "commander";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";

/** `toolkeep policy` with `enable`, `disable`, `check`, `test`, `import`, `explain`, `diff` and `suggest`. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("policy");
  addFiles(parent, done);
  addDecisions(parent, done);
}

function addFiles(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  for (const name of ["enable", "disable"])
    below(name, async () => (await import("../policy/enable-file.ts")).enableFile);
  below("check", async () => (await import("../policy/check-files.ts")).checkFiles);
  below("test", async (command) => {
    const { testFiles } = await import("../policy/test-files.ts");
    return testFiles(optionsOf(command));
  });
  below("import", async () => (await import("../policy/import-rules.ts")).importRules);
}

function addDecisions(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("explain", async () => (await import("../policy/explain.ts")).explain);
  below("diff", async () => (await import("../policy/diff-files.ts")).diffFiles);
  below("suggest", async () => (await import("../policy/suggest-rules.ts")).suggestFromRecords);
}
