import { CommandError, EXIT } from "../terminal/command-error.ts";
import { openTerminal } from "../terminal/terminal.ts";
import { questionAnswers } from "./question-answers.ts";
import type { AnswerOptions } from "./signing-options.ts";
import { submitAnswer } from "./submit-answer.ts";

interface QuestionOptions extends AnswerOptions {
  readonly texts: readonly string[];
}

/** `toolkeep answer`. */
export async function answerQuestion(options: QuestionOptions): Promise<number> {
  const { id, yes, texts } = options;
  await submitAnswer({
    id,
    yes,
    terminal: openTerminal(options),
    answerTo(request) {
      if ("questions" in request)
        return {
          answer: questionAnswers(request.questions, texts),
          question: `Answer with ${texts.map((text) => JSON.stringify(text)).join(", ")}?`,
          message: "Answered.",
        };
      throw new CommandError("This request needs an approval or a rejection, not a text.", {
        hint: "Run `toolkeep approve ID` or `toolkeep reject ID`.",
      });
    },
  });
  return EXIT.ok;
}
