/** No configuration of the user or the folder, no colours, no links, and no messages about files it may not open. */
export const ALWAYS_GIVEN = [
  "--no-config",
  "--color=never",
  "--no-follow",
  "--no-messages",
  "--no-ignore-global",
  "--no-require-git",
];

/** The options whose output `foundLine` reads. */
export const FOUND_LINES = [
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--byte-offset",
  "--null",
  "--no-context-separator",
] as const;
