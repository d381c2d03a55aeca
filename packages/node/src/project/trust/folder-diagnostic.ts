import type { Diagnostic } from "@toolkeep/core";
import type { Layer } from "@toolkeep/core/internal";

/**
 * Why a file, or a tool in it, is not loaded: `tool_not_loaded`, `tool_not_trusted` (others may have written it, or it is
 * not what was trusted), or the code with which a registry refuses the tool.
 */
export interface FolderDiagnostic extends Diagnostic {
  readonly layer: Layer;
  /** Relative to the parent of the folder `tools`, e.g. `tools/lint.ts`. */
  readonly file: string;
}

type About = Omit<FolderDiagnostic, "code"> & Partial<Pick<FolderDiagnostic, "code">>;

/** A diagnostic of a file of tools. */
export function folderDiagnosticOf(about: About): FolderDiagnostic {
  return { code: "tool_not_loaded", ...about };
}
