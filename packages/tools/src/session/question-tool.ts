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
    header: { type: "string", maxLength: 60, description: "A word or two to show above it." },
    options: {
      type: "array",
      items: OPTION,
      maxItems: 20,
      description: "Answers to choose from. The person may also answer in other words.",
    },
    multi_select: { type: "boolean", description: "Several of the options may be chosen." },
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

/** Asks the person and waits, if need be until another day. */
export function questionTool() {
  return defineTool({
    name: "question",
    label: "Ask the person",
    description:
      "Asks the person one or more questions and waits for the answers: one list for each question, in order. " +
      "Ask what only they can know or decide, all of it at once.",
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
