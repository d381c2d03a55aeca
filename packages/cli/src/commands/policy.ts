import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep policy` with `enable`, `disable`, `check`, `test`, `import`, `explain`, `diff` and `suggest`. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("policy");
  addFiles(parent, done);
  addDecisions(parent, done);
}

function addFiles(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  for (const name of ["enable", "disable"])
    below(name, async (command) => {
      const { enableFile } = await import("../policy/enable-file.ts");
      return enableFile(optionsOf(command), await terminalOf(command));
    });
  below("check", async (command) => {
    const { checkFiles } = await import("../policy/check-files.ts");
    return checkFiles(optionsOf(command), await terminalOf(command));
  });
  below("test", async (command) => {
    const { testFiles } = await import("../policy/test-files.ts");
    return testFiles(optionsOf(command));
  });
  below("import", async (command) => {
    const { importRules } = await import("../policy/import-rules.ts");
    return importRules(optionsOf(command), await terminalOf(command));
  });
}

function addDecisions(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("explain", async (command) => {
    const { explain } = await import("../policy/explain.ts");
    return explain(optionsOf(command), await terminalOf(command));
  });
  below("diff", async (command) => {
    const { diffFiles } = await import("../policy/diff-files.ts");
    return diffFiles(optionsOf(command), await terminalOf(command));
  });
  below("suggest", async (command) => {
    const { suggestFromRecords } = await import("../policy/suggest-rules.ts");
    return suggestFromRecords(optionsOf(command), await terminalOf(command));
  });
}
