import { visible } from "@toolkeep/core/internal";

/** What is wrong with a policy file, and where. Lines and columns count from 1. */
export interface PolicyDiagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to write instead. */
  readonly instead?: string;
}

/** Where something stands in a file. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One line that an editor or a terminal can jump from. */
export function formatDiagnostic({ file, line, column, message, instead }: PolicyDiagnostic): string {
  const hint = instead === undefined ? "" : ` ${instead}`;
  return visible(`${file}:${line}:${column}: ${message}${hint}`);
}
