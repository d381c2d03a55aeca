import type { Diagnostic } from "@toolkeep/core";
import type { Layer } from "@toolkeep/core/internal";

/** Why a file, or a tool in it, is not loaded. The session works without it. */
export interface FolderDiagnostic extends Diagnostic {
  readonly code: "tool_not_loaded";
  readonly layer: Layer;
  /** Relative to the parent of the folder `tools`, e.g. `tools/lint.ts`. */
  readonly file: string;
}

/** A diagnostic of a file of tools. */
export function folderDiagnosticOf(about: Omit<FolderDiagnostic, "code">): FolderDiagnostic {
  return { code: "tool_not_loaded", ...about };
}
