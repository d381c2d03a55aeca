import { defineTool } from "@toolkeep/core";
import { askPerson } from "./ask-person.ts";
import { CLARIFICATION_INPUT } from "./session-inputs.ts";

/** The tool `ask_clarification`: pauses the run until the user has answered one question. Models get no definition of it. */
export function clarificationTool() {
  return defineTool({
    name: "ask_clarification",
    label: "Ask for clarification",
    description:
      "Pauses the work, asks the user one question and continues with the answer. " +
      "Call it before you guess what only the user can know or decide, and call nothing else with it.",
    described: false,
    mode: "read",
    kind: "other",
    gated: false,
    inputSchema: CLARIFICATION_INPUT,
    requires: {},
    async execute({ question, options = [] }, ctx) {
      const [answers = []] = await askPerson(ctx, [
        { question, options: options.map((label) => ({ label })) },
      ]);
      return { answer: answers.join("\n") };
    },
  });
}
