/** The most tools that one search returns. */
export const MOST_MATCHES = 10;

/** The arguments of `tool_search`. */
export const TOOL_SEARCH_INPUT = {
  type: "object",
  properties: {
    query: {
      type: "string",
      minLength: 1,
      maxLength: 500,
      description: "Keywords for what the tool should do, or `select:` and names.",
    },
    limit: { type: "integer", minimum: 1, maximum: MOST_MATCHES, default: 5 },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/** What a session keeps of its searches. */
export const FOUND_TOOLS = {
  type: "object",
  properties: { found: { type: "array", items: { type: "string" } } },
  required: ["found"],
} as const;
