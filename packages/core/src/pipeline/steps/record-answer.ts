import type { ApprovalAnswer } from "../../contract/approval/approval.ts";
import type { QuestionAnswers } from "../../contract/people/question.ts";
import type { ParkKind } from "../../contract/store/steps.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { StepsOutside } from "./in-process-steps.ts";

/** Writes an answer down, before anything is done because of it. */
export async function recordAnswer(
  kind: ParkKind,
  given: { readonly turn: string; readonly id: string; readonly answer: unknown; readonly key?: string },
  {
    sessionId,
    recorder,
    redactor,
    pending,
  }: Pick<StepsOutside, "sessionId" | "recorder" | "redactor" | "pending">,
): Promise<void> {
  const { turn, id } = given;
  const key = given.key === undefined ? {} : { key: given.key };
  const answer = withoutSecrets(given.answer, redactor);
  if (kind === "question")
    recorder.write(turn, { type: "question-answer", id, answers: answer as QuestionAnswers, ...key });
  else {
    const raw = given.answer as ApprovalAnswer;
    if (raw.verdict === "edit")
      await pending.put(editKey(sessionId, turn, id), JSON.stringify(raw.arguments));
    recorder.write(turn, { type: "approval-answer", id, answer: answer as ApprovalAnswer, ...key });
  }
  await recorder.flush();
}

/** What was signed is kept as it was signed: it has ids, fingerprints and names, and the session verified it. */
function withoutSecrets(given: unknown, redactor: Redactor): unknown {
  const { signed, ...plain } = given as { readonly signed?: unknown };
  if (Array.isArray(given) || signed === undefined)
    return JSON.parse(redactor.redactJson(JSON.stringify(given))) as unknown;
  return { ...(JSON.parse(redactor.redactJson(JSON.stringify(plain))) as object), signed };
}

/** Where edited arguments wait until they are used. */
export function editKey(sessionId: string, turn: string, id: string): string {
  return `${sessionId}/${turn}/${id}/edit`;
}
