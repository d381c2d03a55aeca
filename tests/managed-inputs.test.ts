import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_KEYS } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../packages/cli/src/program.ts";
import { policyJsonSchema } from "../packages/policy/src/files/policy-json-schema.test.kit.ts";
import { COMMANDS, CONFIGURATION, POLICY_FILE, type Reason, VARIABLES } from "./managed/inputs.ts";
import { WAYS } from "./managed/ways.ts";

/**
 * Everything that a user, a project or an agent can set must have a row that says why it cannot loosen what an
 * administrator mandates. A new option, variable or key needs a row, and a way if it decides anything.
 */
function checkRows(rows: Readonly<Record<string, Reason>>, found: Iterable<string>): void {
  expect(Object.keys(rows).toSorted()).toEqual([...new Set(found)].toSorted());
  for (const [name, reason] of Object.entries(rows))
    if (/^\d/.test(reason)) expect(Object.keys(WAYS), name).toContain(reason);
}

const COMMON = ["--json", "--quiet", "--cwd", "--help"];

interface Command {
  readonly options: readonly { readonly long?: string | null | undefined; readonly flags: string }[];
  readonly commands: readonly Command[];
  name(): string;
}

function* optionsOf(command: Command, path: readonly string[]): Generator<string> {
  const long = command.options.map((option) => option.long ?? option.flags);
  if (path.length > 0) yield [path.join(" "), ...long.filter((one) => !COMMON.includes(one))].join(" ");
  for (const one of command.commands) yield* optionsOf(one, [...path, one.name()]);
}

describe("what may change a decision has a row", () => {
  test("every command with its options", async () => {
    const program = await buildProgram(["completion"], () => {});
    checkRows(COMMANDS, optionsOf(program, []));
  });

  test("every key of a configuration, and of a policy file", () => {
    checkRows(CONFIGURATION, Object.keys(CONFIG_KEYS));
    checkRows(POLICY_FILE, Object.keys(policyJsonSchema()["properties"] as object));
  });

  test("every variable that the program reads", () => {
    checkRows(VARIABLES, variablesRead());
  });
});

const PACKAGES = ["cli", "node", "mcp", "policy", "sqlite", "tools", "core"];
/** `env["NAME"]`, and names in a list that is used so. */
const NAMED = /\["([A-Z][A-Za-z]*(?:_[A-Z]+)*)"\]/g;

/** `"NAME folder"` in the table of what programs need to start. */
const FOLDER = /"([A-Z]+(?:_[A-Z]+)*) \./g;

function* variablesRead(): Generator<string> {
  const root = join(import.meta.dirname, "..");
  const folders = readFileSync(join(root, "packages/catalog/src/tables/program-folders.json"), "utf8");
  for (const [, variable = ""] of folders.matchAll(FOLDER)) yield variable;
  for (const name of PACKAGES) {
    const folder = join(root, "packages", name, "src");
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.name.endsWith(".ts") || entry.name.includes(".test.")) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      for (const line of text.split("\n"))
        if (/\b(?:env|environment|values|variables)\??\.?\[/.test(line))
          for (const [, variable = ""] of line.matchAll(NAMED)) if (variable.length > 1) yield variable;
    }
  }
}
