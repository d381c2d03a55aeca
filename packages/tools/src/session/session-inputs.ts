const OPTION = {
  type: "object",
  properties: {
    label: { type: "string", minLength: 1, maxLength: 200 },
    description: { type: "string", maxLength: 1_000 },
  },
  required: ["label"],
  additionalProperties: false,
} as const;

const QUESTION = {
  type: "object",
  properties: {
    question: { type: "string", minLength: 1, maxLength: 2_000 },
    header: { type: "string", maxLength: 60, description: "One or two words shown above the question." },
    options: {
      type: "array",
      items: OPTION,
      maxItems: 20,
      description: "Answers to choose from. The user may also answer freely.",
    },
    multi_select: { type: "boolean", description: "More than one option may be chosen." },
  },
  required: ["question"],
  additionalProperties: false,
} as const;

/** The arguments of `question`. */
export const QUESTION_INPUT = {
  type: "object",
  properties: { questions: { type: "array", items: QUESTION, minItems: 1, maxItems: 10 } },
  required: ["questions"],
  additionalProperties: false,
} as const;

/** The arguments of the tool that asks one question. */
export const CLARIFICATION_INPUT = {
  type: "object",
  properties: {
    question: { type: "string", minLength: 1, maxLength: 2_000 },
    options: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 200 },
      maxItems: 20,
      description: "Answers to choose from. The user may also answer freely.",
    },
  },
  required: ["question"],
  additionalProperties: false,
} as const;

/** The arguments of `task`. */
export const TASK_INPUT = {
  type: "object",
  properties: {
    description: {
      type: "string",
      maxLength: 200,
      description: "The task in a few words, shown to the user.",
    },
    prompt: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "Everything the subagent needs to know: it does not see this conversation.",
    },
    subagent_type: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      default: "general",
      description: "The name of the subagent.",
    },
    background: {
      type: "boolean",
      default: false,
      description: "Do not wait: return the id of its session at once.",
    },
  },
  required: ["prompt"],
  additionalProperties: false,
} as const;

export const TASK_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

const TODO = {
  type: "object",
  properties: {
    content: { type: "string", minLength: 1, maxLength: 1_000, description: "The task." },
    status: { type: "string", enum: TASK_STATUSES },
    priority: { type: "string", enum: ["high", "medium", "low"] },
  },
  required: ["content", "status"],
  additionalProperties: false,
} as const;

/** The arguments of `todo`, and what a session keeps of them. */
export const TODO_INPUT = {
  type: "object",
  properties: {
    todos: { type: "array", items: TODO, maxItems: 100, description: "The whole list, in order." },
  },
  required: ["todos"],
  additionalProperties: false,
} as const;
