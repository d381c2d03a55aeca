import type { Question, QuestionAnswers } from "@toolkeep/core";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { openTerminal } from "../terminal/terminal.ts";
import type { AnswerOptions } from "./signing-options.ts";
import { submitAnswer } from "./submit-answer.ts";

interface QuestionOptions extends AnswerOptions {
  readonly texts: readonly string[];
}

/** `toolkeep approvals answer`. */
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
        hint: "Run `toolkeep approvals approve ID` or `toolkeep approvals reject ID`.",
      });
    },
  });
  return EXIT.ok;
}

/** One text for each question; an empty text is no answer. @throws CommandError for too few or too many texts. */
function questionAnswers(questions: readonly Question[], texts: readonly string[]): QuestionAnswers {
  if (texts.length !== questions.length) {
    throw usageError(
      `The number of questions is ${questions.length}, the number of texts ${texts.length}.`,
      "Quote each text and keep the order of the questions. '' skips a question.",
    );
  }
  return questions.map((question, index) => answersIn(texts[index] ?? "", question));
}

function answersIn(text: string, { multiSelect = false, options = [] }: Question): readonly string[] {
  if (text.trim() === "") return [];
  const labels = options.map(({ label }) => label);
  // A label may contain a comma.
  if (!multiSelect || labels.includes(text)) return [text];
  const chosen = text.split(",").map((one) => one.trim());
  return chosen.every((one) => labels.includes(one)) ? [...new Set(chosen)] : [text];
}
