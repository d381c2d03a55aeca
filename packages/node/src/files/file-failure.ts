import { ToolFailure } from "@toolkeep/core";

/**
 * The failure that a model gets for an error of the file system about a path, with that error as its `cause`. A failure
 * stays as it is, and so does any other error.
 */
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

interface Words {
  readonly kind: string;
  readonly says: string;
  readonly hint?: string;
  readonly transient?: boolean;
}

const FULL: Words = { kind: "unavailable", says: "could not be written: there is no space left" };
const FORBIDDEN: Words = {
  kind: "unavailable",
  says: "may not be used: the operating system does not allow it",
};
const BUSY: Words = {
  kind: "unavailable",
  says: "could not be opened: too many files are open",
  transient: true,
};

const WORDS: Readonly<Record<string, Words>> = {
  ENOENT: { kind: "not_found", says: "does not exist" },
  ENOTDIR: { kind: "not_found", says: "leads through something that is not a folder" },
  EISDIR: { kind: "tool_failed", says: "is a folder", hint: "Name a file." },
  ENAMETOOLONG: { kind: "invalid_arguments", says: "is too long for a path", hint: "Use a shorter name." },
  EEXIST: { kind: "conflict", says: "exists already" },
  ENOTEMPTY: { kind: "conflict", says: "is a folder that is not empty", hint: "Remove what is in it first." },
  ELOOP: { kind: "tool_failed", says: "goes through too many links" },
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: { kind: "unavailable", says: "may not be changed: the file system is read-only" },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EMFILE: BUSY,
  ENFILE: BUSY,
};
