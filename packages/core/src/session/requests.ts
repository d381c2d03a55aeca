import type { ApprovalAnswer, PersonRequest, SignedApproval } from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { JournalEvent } from "../contract/event.ts";
import type { Journal } from "../contract/journal.ts";
import type { QuestionAnswers } from "../contract/question.ts";

/** Answers come from other processes too: what is not known is not recorded. */
export function isAnswer(answer: ApprovalAnswer | QuestionAnswers): boolean {
  if (Array.isArray(answer)) return answer.every((list) => Array.isArray(list));
  const { verdict } = answer as ApprovalAnswer;
  if (verdict === "edit") return typeof (answer as { arguments?: unknown }).arguments === "object";
  if (verdict === "rules") return Array.isArray((answer as { rules?: unknown }).rules);
  return verdict === "once" || verdict === "always" || verdict === "reject";
}

export function isSigned(answer: unknown): answer is SignedApproval {
  return typeof answer === "object" && answer !== null && "signature" in answer && "answer" in answer;
}

export function isQuestion(request: PersonRequest | undefined): boolean {
  return request !== undefined && "questions" in request;
}

/** What was asked and neither answered nor settled since. */
export async function openRequests(journal: Journal): Promise<readonly PersonRequest[]> {
  const open: PersonRequest[] = [];
  for (const turn of await askingTurns(journal)) open.push(...(await openInTurn(journal, turn)));
  return open;
}

/** Turns that may have an open request, oldest first. What a tool asked while it was prepared belongs to none. */
async function askingTurns(journal: Journal): Promise<Iterable<string>> {
  const unanswered = new Map<string, string>();
  for await (const event of journal.read({ types: ASKING, standing: true })) {
    if (event.turn === "" || !("id" in event)) continue;
    const key = `${event.turn}/${event.id}`;
    if ("request" in event) unanswered.set(key, event.turn);
    else unanswered.delete(key);
  }
  return new Set(unanswered.values());
}

async function openInTurn(journal: Journal, turn: string): Promise<Iterable<PersonRequest>> {
  const open = new Map<string, PersonRequest>();
  for await (const event of journal.read({ turn, types: [...ASKING, ...SETTLING] })) {
    if ("request" in event) open.set(event.id, event.request);
    else if ("id" in event) open.delete(event.id);
    else if (isSettlement(event)) {
      for (const [id, { callId }] of open) if (callId === event.callId) open.delete(id);
    }
  }
  return open.values();
}

const ASKING = ["approval-request", "question-request", "approval-answer", "question-answer"] as const;
const SETTLING = ["call-end", "call-refuse"] as const;

/** A second call under the same id is refused, and says nothing about the first. */
function isSettlement(
  event: JournalEvent,
): event is JournalEvent & { readonly type: (typeof SETTLING)[number] } {
  if (event.type === "call-refuse") return event.code !== "duplicate_call";
  return event.type === "call-end";
}

export function refusedAnswer(requestId: string, why: string): ToolkeepError {
  return new ToolkeepError(
    "answer_refused",
    `The answer to ${JSON.stringify(requestId)} is refused: ${why}.`,
  );
}
