import { ToolFailure } from "@toolkeep/core";

/** The code of the file system's error behind a failure, e.g. `EISDIR`. */
export function systemCode(error: unknown): unknown {
  if (!ToolFailure.isInstance(error)) return undefined;
  return (error.cause as { readonly code?: unknown } | undefined)?.code;
}
