/** The arguments of `skill`. */
export const SKILL_INPUT = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 200, description: "The name, as listed." },
  },
  required: ["name"],
  additionalProperties: false,
} as const;
