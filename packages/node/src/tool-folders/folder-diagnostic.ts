import { type Layer, visible } from "@toolkeep/core/internal";

/** Why a file, or a tool in it, is not there. The session goes on without it. */
export interface FolderDiagnostic {
  readonly layer: Layer;
  /** Relative to the folder that holds `tools`, e.g. `tools/lint.ts`. */
  readonly file: string;
  /** Counts from 1, where it could be told. */
  readonly line?: number;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** One line for a terminal. */
export function formatFolderDiagnostic({ layer, file, line, message, hint }: FolderDiagnostic): string {
  const address = line === undefined ? file : `${file}:${line}`;
  return visible(`${layer} ${address}: ${message}${hint === undefined ? "" : ` ${hint}`}`);
}
