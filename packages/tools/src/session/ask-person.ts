import { type Question, type QuestionAnswers, type ToolContext, ToolFailure } from "@toolkeep/core";

/**
 * Puts questions to the person and gives one list of answers for each. The one way in which a tool waits for
 * somebody: the turn parks where the answer comes from elsewhere, and the tool is run again when it is there.
 * To be called before the tool acts.
 * @throws ToolFailure `unavailable` with a fixed text when nobody is there; `tool_failed` for answers that fit
 * none of the questions.
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
      "What came back is not one list of answers for each question, so it counts for nothing.",
      { hint: "Ask again, or go on with your best guess." },
    );
  return answers;
}
