/** After how long a program is ended by default. */
export const TIMEOUT_MS = 30_000;

const MOST_TIMEOUT_MS = 60_000;

/** The arguments of `code_exec`. */
export const CODE_INPUT = {
  type: "object",
  properties: {
    code: { type: "string", minLength: 1, maxLength: 100_000, description: "The program." },
    language: { enum: ["python", "javascript"], description: "Default: python." },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: MOST_TIMEOUT_MS,
      description: `Milliseconds after which the program is ended. Default: ${TIMEOUT_MS}.`,
    },
  },
  required: ["code"],
  additionalProperties: false,
} as const;
