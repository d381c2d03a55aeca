import type { ApprovalRequest, GivenAnswer, PersonRequest } from "../contract/approval.ts";
import type { Journal } from "../contract/journal.ts";
import type { Answers } from "../pipeline/answers.ts";
import { recordAnswer } from "../pipeline/in-process-steps.ts";
import type { Runtime } from "../pipeline/turn.ts";
import { readTurn } from "../pipeline/turn-record.ts";
import { signatureError } from "../policy/approvals/sign-approval.ts";
import { isAnswer, isQuestion, isSigned, refusedAnswer } from "./requests.ts";

/** What an answer is held against. */
export interface AnswerOffice {
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly answers: Answers;
  readonly approvalSecret: string | undefined;
}

/**
 * Takes an answer to a request of a parked or waiting turn, from this process or another.
 * @throws ToolkeepError `answer_refused`.
 */
export function receiveAnswer(requestId: string, given: GivenAnswer, office: AnswerOffice): Promise<void> {
  // Two answers may come together: whoever comes second reads what the first one recorded.
  return office.answers.alone(requestId, () => takeAnswer(requestId, given, office));
}

async function takeAnswer(requestId: string, given: GivenAnswer, office: AnswerOffice): Promise<void> {
  const { runtime, journal, answers } = office;
  const cut = requestId.indexOf("/");
  const turn = requestId.slice(0, cut);
  const id = requestId.slice(cut + 1);
  const record = await readTurn(journal, turn);
  const request = record.asked.get(id);
  if (request === undefined) throw refusedAnswer(requestId, "nobody asked it");
  if (record.answers.has(id) || record.done.has(id)) throw refusedAnswer(requestId, "it is answered already");
  const error = await errorOf(given, request, office);
  if (error !== undefined) throw refusedAnswer(requestId, error);
  const answer = isSigned(given) ? { ...given.answer, by: given.approver } : given;
  const { sessionId, recorder, redactor, ports } = runtime;
  const outside = { sessionId, recorder, redactor, pending: ports.pending };
  await recordAnswer(isQuestion(request) ? "question" : "approval", { turn, id, answer }, outside);
  answers.deliver(requestId, answer);
}

async function errorOf(
  given: GivenAnswer,
  request: PersonRequest,
  { approvalSecret: secret }: AnswerOffice,
): Promise<string | undefined> {
  const answer = isSigned(given) ? given.answer : given;
  if (isQuestion(request) !== Array.isArray(answer) || !isAnswer(answer)) {
    return isQuestion(request)
      ? "it takes one list of texts for each question"
      : "its verdict is once, always, rules, edit or reject, with what belongs to that";
  }
  if (isQuestion(request)) return undefined;
  const asked = request as ApprovalRequest;
  if (Date.now() > (asked.expiresAt ?? Number.POSITIVE_INFINITY)) return "the time for it is over";
  if (secret === undefined) return isSigned(given) ? "there is no secret to check its seal with" : undefined;
  return isSigned(given) ? signatureError(given, asked, { secret, now: Date.now() }) : "it is not sealed";
}
