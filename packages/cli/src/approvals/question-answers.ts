import type { Question, QuestionAnswers } from "@toolkeep/core";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/**
 * Takes one text for each question. Where several may be chosen, they are separated by commas; an empty text is no
 * answer.
 * @throws CommandFault for too few or too many.
 */
export function questionAnswers(questions: readonly Question[], texts: readonly string[]): QuestionAnswers {
  if (texts.length !== questions.length) {
    throw new CommandError(`There are ${questions.length} questions and ${texts.length} answers.`, {
      exit: EXIT.usage,
      hint: "Write each answer in quotes, in the order of the questions; '' leaves one out.",
    });
  }
  return questions.map((question, index) => answersIn(texts[index] ?? "", question));
}

function answersIn(text: string, { multiSelect = false, options = [] }: Question): readonly string[] {
  if (text.trim() === "") return [];
  const labels = options.map(({ label }) => label);
  // A label may hold a comma itself.
  if (!multiSelect || labels.includes(text)) return [text];
  const chosen = text.split(",").map((one) => one.trim());
  return chosen.every((one) => labels.includes(one)) ? [...new Set(chosen)] : [text];
}
