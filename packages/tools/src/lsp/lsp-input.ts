import { PATH } from "../files/file-inputs.ts";

export const LSP_ACTIONS = [
  "definition",
  "references",
  "hover",
  "diagnostics",
  "symbols",
  "ruff_check",
] as const;

/** The arguments of `lsp`. */
export const LSP_INPUT = {
  type: "object",
  properties: {
    action: { enum: LSP_ACTIONS },
    path: { ...PATH, description: "The file. Absolute, or relative to the workspace." },
    line: { type: "integer", minimum: 1, description: "Counted from 1." },
    column: { type: "integer", minimum: 1, description: "Counted from 1. Prefer `symbol`." },
    symbol: {
      ...{ type: "string", minLength: 1, maxLength: 500 },
      description: "The name to ask about, as the line has it. Without `line`: where the file has it first.",
    },
    query: { type: "string", minLength: 1, maxLength: 500, description: "For symbols of the project." },
  },
  required: ["action", "path"],
  additionalProperties: false,
} as const;
