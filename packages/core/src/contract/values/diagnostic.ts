import type { Origin } from "./origin.ts";

/** What is wrong with a file, a tool or a rule, where, and how to fix it. Lines and columns count from 1. */
export interface Diagnostic {
  /** Stable, for programs: `invalid_rule`, `invalid_tool` … */
  readonly code: string;
  /** One or two sentences for a person. */
  readonly message: string;
  /** The name of the tool, the server or the operation that it is about. */
  readonly subject?: string;
  /** Where the tool came from. */
  readonly origin?: Origin;
  /** The part of the tool, e.g. `/inputSchema/properties/path`. */
  readonly path?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** What to write or to run instead. */
  readonly hint?: string;
}
