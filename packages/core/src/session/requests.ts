import type { ApprovalAnswer, ApprovalRequest, SealedApproval } from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Journal } from "../contract/journal.ts";
import type { QuestionAnswers, QuestionRequest } from "../contract/question.ts";
import { askIdsOf } from "../pipeline/approve.ts";

/** Something that was put to a person. */
export type PersonRequest = ApprovalRequest | QuestionRequest;

/** Answers come from other processes too: what is not known is not recorded. */
export function isAnswer(answer: ApprovalAnswer | QuestionAnswers): boolean {
  if (Array.isArray(answer)) return answer.every((list) => Array.isArray(list));
  const { verdict } = answer as ApprovalAnswer;
  if (verdict === "edit") return typeof (answer as { arguments?: unknown }).arguments === "object";
  if (verdict === "rules") return Array.isArray((answer as { rules?: unknown }).rules);
  return verdict === "once" || verdict === "always" || verdict === "reject";
}

export function isSealed(answer: unknown): answer is SealedApproval {
  return typeof answer === "object" && answer !== null && "seal" in answer && "answer" in answer;
}

export function isQuestion(request: PersonRequest | undefined): boolean {
  return request !== undefined && "questions" in request;
}

/** What was asked and neither answered nor settled since. */
export async function openRequests(journal: Journal): Promise<readonly PersonRequest[]> {
  const open = new Map<string, PersonRequest>();
  for await (const event of journal.read()) {
    if (event.type === "approval-request" || event.type === "question-request")
      open.set(event.request.id, event.request);
    if (event.type === "approval-answer" || event.type === "question-answer")
      open.delete(`${event.turn}/${event.id}`);
    if (event.type === "call-end" || event.type === "call-refuse") {
      for (const askId of askIdsOf(event.callId)) open.delete(`${event.turn}/${askId}`);
    }
  }
  return [...open.values()];
}

export function refusedAnswer(requestId: string, why: string): ToolkeepError {
  return new ToolkeepError(
    "answer_refused",
    `The answer to ${JSON.stringify(requestId)} is refused: ${why}.`,
  );
}
