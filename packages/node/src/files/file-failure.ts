import { ToolFailure } from "@toolkeep/core";
import { WORDS } from "./error-words.ts";

/** The failure for an error of the file system, which is its `cause`. Any other error stays as it is. */
export function fileFailure(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined || ToolFailure.isInstance(error)) return error;
  const { kind, says, ...options } = WORDS[code] ?? {
    kind: "tool_failed",
    says: `could not be used (${code})`,
  };
  return new ToolFailure(kind, `${JSON.stringify(path)} ${says}.`, { ...options, cause: error });
}

/** The code of an error of the file system, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** The error that the file system would give. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A path has changed by the time it was reached. Another attempt resolves it again. */
export function movedAway(path: string): ToolFailure {
  return new ToolFailure(
    "conflict",
    `${JSON.stringify(path)} was moved or replaced while it was being used.`,
    {
      hint: "Try again.",
      transient: true,
    },
  );
}
