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

export const WORDS: Readonly<Record<string, Words>> = {
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
