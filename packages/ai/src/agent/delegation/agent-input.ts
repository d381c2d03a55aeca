/** The arguments of a tool that is an agent. */
export const AGENT_INPUT = {
  type: "object",
  properties: {
    task: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "Everything the agent needs to know: it does not see this conversation.",
    },
  },
  required: ["task"],
  additionalProperties: false,
} as const;
