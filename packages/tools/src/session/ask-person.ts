import { type Question, type QuestionAnswers, type ToolContext, ToolFailure } from "@toolkeep/core";

/**
 * Asks the user and returns one list of answers for each question. The only way in which a tool waits for a person: if
 * the answer comes later, the turn parks and the tool runs again when the answer arrives. Call it before the tool acts.
 * @throws ToolFailure `unavailable` with a fixed text if no approver can answer; `tool_failed` for answers that do not
 * match the questions.
 */
export async function askPerson(
  ctx: Pick<ToolContext, "ask">,
  questions: readonly Question[],
): Promise<QuestionAnswers> {
  const answers = await ctx.ask(questions);
  const isFit =
    answers.length === questions.length &&
    answers.every((list) => Array.isArray(list) && list.every((one) => typeof one === "string"));
  if (!isFit)
    throw new ToolFailure(
      "tool_failed",
      "The answers do not match the questions: expected one list of texts for each question.",
      { hint: "Ask again, or continue with your best guess." },
    );
  return answers;
}
