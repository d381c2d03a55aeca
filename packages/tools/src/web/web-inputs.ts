const MOST_RESULTS = 20;

/** The arguments of `web_search`. */
export const WEB_SEARCH_INPUT = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 1_000, description: "What to search for." },
    max_results: { type: "integer", minimum: 1, maximum: MOST_RESULTS, default: 10 },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/** The arguments of `web_fetch`. */
export const WEB_FETCH_INPUT = {
  type: "object",
  properties: {
    url: { type: "string", minLength: 1, maxLength: 8_192, description: "The whole URL." },
    format: {
      type: "string",
      enum: ["markdown", "text", "html"],
      default: "markdown",
      description: "The format of a page; html is its source.",
    },
  },
  required: ["url"],
  additionalProperties: false,
} as const;
