import { defineTool, type Question } from "@toolkeep/core";
import { askPerson } from "./ask-person.ts";

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

const INPUT = {
  type: "object",
  properties: { questions: { type: "array", items: QUESTION, minItems: 1, maxItems: 10 } },
  required: ["questions"],
  additionalProperties: false,
} as const;

/** The tool `question`: asks the user and waits for the answer, across restarts if necessary. */
export function questionTool() {
  return defineTool({
    name: "question",
    label: "Ask the user",
    description:
      "Asks the user one or more questions and waits for the answers: one list for each question, in order. " +
      "Ask only what the user alone can know or decide, and ask everything at once.",
    mode: "read",
    kind: "other",
    gated: false,
    inputSchema: INPUT,
    requires: {},
    async execute({ questions }, ctx) {
      return { answers: await askPerson(ctx, questions.map(asQuestion)) };
    },
  });
}

interface GivenQuestion extends Omit<Question, "multiSelect"> {
  readonly multi_select?: boolean;
}

function asQuestion({ multi_select: multiSelect, ...rest }: GivenQuestion): Question {
  return multiSelect === undefined ? rest : { ...rest, multiSelect };
}
