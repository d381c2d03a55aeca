import type { Question, QuestionAnswers } from "@toolkeep/core";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** One text for each question; an empty text is no answer. @throws CommandError for too few or too many texts. */
export function questionAnswers(questions: readonly Question[], texts: readonly string[]): QuestionAnswers {
  if (texts.length !== questions.length) {
    throw new CommandError(
      `The number of questions is ${questions.length}, the number of texts ${texts.length}.`,
      {
        exit: EXIT.usage,
        hint: "Quote each text and keep the order of the questions. '' skips a question.",
      },
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
