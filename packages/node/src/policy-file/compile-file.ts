import { ToolkeepError } from "@toolkeep/core";
import { compilePolicy, type Policy } from "@toolkeep/core/policy";
import type { TestPlaces } from "./call-of-test.ts";
import { formatDiagnostic } from "./diagnostic.ts";
import type { PolicyFile } from "./policy-file.ts";

/** Where the paths of calls that nobody makes lie, where the file was not read for a place of its own. */
export function placesOf({ definition, home = "/home/user" }: PolicyFile): TestPlaces {
  return { workspace: definition?.variables?.workspace?.[0] ?? "/ws", home };
}

/** The policy of a file, to be asked offline. @throws ToolkeepError `invalid_option` for a file with problems. */
export function compileFile(file: PolicyFile): Policy {
  const { definition, diagnostics } = file;
  if (definition === undefined) {
    throw new ToolkeepError("invalid_option", diagnostics.map(formatDiagnostic).join("\n"));
  }
  const workspace = definition.variables?.workspace ?? [placesOf(file).workspace];
  return compilePolicy({ ...definition, variables: { ...definition.variables, workspace } });
}
