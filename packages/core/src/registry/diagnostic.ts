import type { Origin } from "../contract/origin.ts";

/** Why a tool is not there although somebody registered it. The session goes on without it. */
export interface Diagnostic {
  readonly stage: "shape" | "version" | "schema" | "config" | "name" | "lock" | "init" | "dispose";
  readonly toolName: string;
  readonly origin: Origin;
  /** What in the tool it is about, e.g. `/inputSchema/properties/path`. */
  readonly path: string;
  readonly message: string;
}
