import { type Approver, HEADLESS_QUESTION } from "../contract/approval.ts";
import { ToolFailure } from "../contract/failure.ts";
import type { Question, QuestionAnswers } from "../contract/question.ts";
import type { Recorder } from "../pipeline/recorder.ts";
import type { Redactor } from "../redaction/redactor.ts";

/** Puts the questions of a tool that is being prepared to the one approver, and writes them down. */
export function askAtInit(
  approver: Approver,
  recorder: Recorder,
  redactor: Redactor,
): (toolName: string, questions: readonly Question[]) => Promise<QuestionAnswers> {
  let asked = 0;
  const redacted = <Said>(said: Said) => JSON.parse(redactor.redactJson(JSON.stringify(said))) as Said;
  return async (toolName, questions) => {
    if (approver.answer === undefined) throw new ToolFailure("unavailable", HEADLESS_QUESTION);
    asked += 1;
    const id = `init/${asked}`;
    const request = { id, callId: id, toolName, questions };
    recorder.write("", { type: "question-request", id, request: redacted(request) });
    const answers = await approver.answer(request, new AbortController().signal);
    if (answers === "later")
      throw new ToolFailure("unavailable", "A tool cannot wait for an answer while it is prepared.");
    recorder.write("", { type: "question-answer", id, answers: redacted(answers) });
    return answers;
  };
}
