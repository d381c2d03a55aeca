import { ToolkeepError } from "@toolkeep/core";
import type { Policy } from "@toolkeep/core/policy";
import { formatDiagnostic } from "./diagnostic.ts";
import type { PolicyFile } from "./policy-file.ts";

/**
 * What a file defines, for `createSession({ policy })`.
 * @throws ToolkeepError `invalid_option` with every problem of a file that is not right.
 */
export function definitionOf({ definition, diagnostics, file }: PolicyFile): Policy["definition"] {
  if (definition !== undefined) return definition;
  const found = diagnostics.map(formatDiagnostic).join("\n");
  throw new ToolkeepError("invalid_option", `The policy ${file} is not right:\n${found}`);
}
