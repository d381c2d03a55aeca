import { defineTool, type Question } from "@toolkeep/core";
import { askPerson } from "./ask-person.ts";
import { QUESTION_INPUT } from "./session-inputs.ts";

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
    inputSchema: QUESTION_INPUT,
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
