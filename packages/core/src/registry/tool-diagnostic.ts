import type { Origin } from "../contract/call/result.ts";
import type { Diagnostic } from "../contract/values/error.ts";

/** Why a session has to do without a tool that was registered. */
export interface ToolDiagnostic extends Diagnostic {
  readonly code:
    | "invalid_tool"
    | "invalid_name"
    | "invalid_schema"
    | "invalid_config"
    | "unsupported_version"
    /** Another tool of the same layer has the name. */
    | "name_taken"
    /** The name is one of the standard tools, or could be mistaken for one. */
    | "name_locked"
    | "init_failed"
    | "dispose_failed";
  readonly toolName: string;
  readonly origin: Origin;
  /** The part of the tool, e.g. `/inputSchema/properties/path`. */
  readonly path: string;
}
