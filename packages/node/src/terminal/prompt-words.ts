import type { ApprovalRequest } from "@toolkeep/core";

export const SANDBOXES: Readonly<Record<NonNullable<ApprovalRequest["context"]>["sandbox"], string>> = {
  none: "none; commands run with your own permissions",
  files: "restricts files, not the network",
  "files-and-network": "restricts files and the network",
};

export const LABELS = { untrusted: "untrusted content", private: "private data" } as const;

/** What the keys of an approval are for. */
export const KEY_WORDS = {
  y: "once",
  n: "no",
  w: "no, because…",
  s: "for this session",
  p: "for this project",
  e: "edit",
  "?": "explain",
} as const;
