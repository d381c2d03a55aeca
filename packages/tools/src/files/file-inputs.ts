/** The schema of a path argument. */
export const PATH = {
  type: "string",
  minLength: 1,
  maxLength: 4_096,
  description: "Absolute, or relative to the workspace.",
} as const;

const PART = { type: "string", maxLength: 1_000_000 } as const;

const COUNT = { type: "integer", maximum: Number.MAX_SAFE_INTEGER } as const;

/** The arguments of `read`. */
export const READ_INPUT = {
  type: "object",
  properties: {
    path: PATH,
    offset: { ...COUNT, minimum: 1, description: "The first line to show. Default: 1." },
    limit: { ...COUNT, minimum: 1, description: "How many lines to show. Default: as many as fit." },
    byte_offset: { ...COUNT, minimum: 0, description: "The first byte to show. Default: 0." },
    byte_limit: { ...COUNT, minimum: 1, description: "How many bytes to show. Default: as many as fit." },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/** The arguments of `list`. */
export const LIST_INPUT = {
  type: "object",
  properties: {
    path: { ...PATH, description: "The folder. Default: the workspace." },
    all: { type: "boolean", description: "Include ignored and hidden files. Default: false." },
  },
  additionalProperties: false,
} as const;

/** The arguments of `write`. */
export const WRITE_INPUT = {
  type: "object",
  properties: {
    path: PATH,
    content: { type: "string", maxLength: 10_000_000, description: "The whole contents of the file." },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const;

/** The arguments of `append`. */
export const APPEND_INPUT = {
  type: "object",
  properties: {
    path: PATH,
    content: { type: "string", maxLength: 10_000_000, description: "The text to add." },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const;

/** The arguments of `edit`. */
export const EDIT_INPUT = {
  type: "object",
  properties: {
    path: PATH,
    old_string: { ...PART, minLength: 1, description: "The text to replace." },
    new_string: { ...PART, description: "The replacement, taken literally." },
    replace_all: { type: "boolean", description: "Replace every occurrence. Default: false." },
  },
  required: ["path", "old_string", "new_string"],
  additionalProperties: false,
} as const;

/** The arguments of `delete`. */
export const DELETE_INPUT = {
  type: "object",
  properties: { path: PATH },
  required: ["path"],
  additionalProperties: false,
} as const;

/** The arguments of the tool that compares a file with a text. */
export const DIFF_INPUT = {
  type: "object",
  properties: {
    path: PATH,
    content: { type: "string", maxLength: 1_000_000, description: "What the file should contain." },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const;

/** The arguments of `pdf_read`. */
export const PDF_INPUT = {
  type: "object",
  properties: {
    path: { ...PATH, pattern: "\\.[Pp][Dd][Ff]$" },
    offset: { type: "integer", minimum: 1, description: "The first page. Default: 1." },
    limit: { type: "integer", minimum: 1, description: "How many pages. Default: as many as fit." },
  },
  required: ["path"],
  additionalProperties: false,
} as const;
