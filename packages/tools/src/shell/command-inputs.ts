/** The arguments of tools that run a command line. */
export const COMMAND_LINE = {
  command: {
    type: "string",
    minLength: 1,
    maxLength: 16_000,
    description: "The command line, run by bash.",
  },
  description: {
    type: "string",
    maxLength: 500,
    description: "What the command does, in a few words, for the approver.",
  },
  workdir: {
    type: "string",
    pattern: "^/",
    maxLength: 4_096,
    description: "The absolute path of the folder to run it in. Default: the workspace.",
  },
} as const;

/** After how long a command of `bash` is killed by default. */
export const TIMEOUT_MS = 120_000;

const MOST_TIMEOUT_MS = 600_000;

/** The arguments of `bash`. */
export const BASH_INPUT = {
  type: "object",
  properties: {
    ...COMMAND_LINE,
    timeout: {
      type: "integer",
      minimum: 1,
      maximum: MOST_TIMEOUT_MS,
      description: `Milliseconds after which the command is killed. Default: ${TIMEOUT_MS}.`,
    },
  },
  required: ["command"],
  additionalProperties: false,
} as const;

/** What an application can set for `bash`. */
export const BASH_CONFIG = {
  type: "object",
  properties: {
    /** The longest timeout that a model can ask for. */
    maxTimeoutMs: { type: "integer", minimum: 1, maximum: MOST_TIMEOUT_MS, default: MOST_TIMEOUT_MS },
  },
  additionalProperties: false,
} as const;

/** The arguments of `bash_start`. */
export const START_INPUT = {
  type: "object",
  properties: COMMAND_LINE,
  required: ["command"],
  additionalProperties: false,
} as const;

/** The arguments of `bash_output`. */
export const OUTPUT_INPUT = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1, maxLength: 64, description: "The id that bash_start returned." },
    wait: {
      type: "integer",
      minimum: 0,
      maximum: 60_000,
      description: "Milliseconds to wait for new output if there is none. Default: 0.",
    },
  },
  required: ["id"],
  additionalProperties: false,
} as const;

/** The arguments of `bash_stop`. */
export const STOP_INPUT = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1, maxLength: 64, description: "The id that bash_start returned." },
  },
  required: ["id"],
  additionalProperties: false,
} as const;
