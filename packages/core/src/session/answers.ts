import type {
  ApprovalAnswer,
  ApprovalRequest,
  GivenAnswer,
  PersonRequest,
  SignedApproval,
} from "../contract/approval/approval.ts";
import {
  type AskedRequest,
  givenAnswerError,
  isRejection,
  isSignedAnswer,
  refusedAnswer,
} from "../contract/approval/given-answer.ts";
import type { JournalEvent } from "../contract/store/event.ts";
import type { Journal } from "../contract/store/store.ts";
import { readTurn } from "../pipeline/record/turn-record.ts";
import { validApprovals } from "../pipeline/stages/approval/signed-approvals.ts";
import type { Answers } from "../pipeline/steps/answers.ts";
import { recordAnswer } from "../pipeline/steps/record-answer.ts";
import type { Runtime } from "../pipeline/turn/turn.ts";
import { isLacking } from "../policy/approvals/approver-keys.ts";
import { needsText } from "../policy/approvers/required-approvers.ts";

/** What is needed to take an answer. */
export interface AnswerParts {
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly answers: Answers;
}

interface NewAnswer {
  readonly requestId: string;
  readonly answer: GivenAnswer;
  readonly key: string | undefined;
}

/** Takes an answer to a request of a waiting turn, from any process. @throws ToolkeepError `answer_refused`. */
export function receiveAnswer(given: NewAnswer, parts: AnswerParts): Promise<void> {
  // One after the other: the second of two answers sees what the first one recorded.
  return parts.answers.alone(given.requestId, () => takeAnswer(given, parts));
}

async function takeAnswer({ requestId, answer: given, key }: NewAnswer, parts: AnswerParts): Promise<void> {
  const { runtime, journal, answers } = parts;
  const cut = requestId.indexOf("/");
  const turn = requestId.slice(0, cut);
  const id = requestId.slice(cut + 1);
  const record = await readTurn(journal, turn);
  const request = record.asked.get(id);
  if (request === undefined) throw refusedAnswer(requestId, "there is no such request");
  if (key !== undefined && record.answerKeys.get(id) === key) return;
  if (record.answers.has(id) || record.done.has(id)) throw refusedAnswer(requestId, "it is answered already");
  const before = record.signed.get(id) ?? [];
  const askedAt = record.askedAt.get(id) ?? 0;
  const asked = { turn, id, request, askedAt, before };
  const error = isSignedAnswer(given) ? await signedError(given, asked, runtime) : errorOf(given, asked);
  if (error !== undefined) throw refusedAnswer(requestId, error);
  const answer = isSignedAnswer(given) ? await signedAnswer(given, asked, runtime) : given;
  // Others must sign as well: the request stays open.
  if (answer === undefined) return;
  const { sessionId, recorder, redactor, ports } = runtime;
  const outside = { sessionId, recorder, redactor, pending: ports.pending };
  const entry = { turn, id, answer, ...(key === undefined ? {} : { key }) };
  await recordAnswer("questions" in request ? "question" : "approval", entry, outside);
  answers.deliver(requestId, answer);
}

/** Why an unsigned answer is refused. */
function errorOf(answer: GivenAnswer, asked: AskedRequest): string | undefined {
  const error = givenAnswerError(answer, asked);
  if (error !== undefined || isRejection(answer)) return error;
  const { needs, principal } = asked.request as ApprovalRequest;
  return needs && `it is not signed, and it needs ${needsText(needs, principal.user)}`;
}

/** The requests that were neither answered nor settled since, oldest first. What a tool asked in `init` belongs to no turn. */
export async function openRequests(journal: Journal): Promise<readonly PersonRequest[]> {
  const open = new OpenRequests();
  for await (const event of journal.read({ types: [...ASKING, ...SETTLING], standing: true }))
    if (event.turn !== "") open.add(event);
  return open.all();
}

/** The open requests of one turn, in the order they were raised. */
export async function openRequestsOf(journal: Journal, turn: string): Promise<readonly PersonRequest[]> {
  const open = new OpenRequests();
  for await (const event of journal.read({ turn, types: [...ASKING, ...SETTLING] })) open.add(event);
  return open.all();
}

/** Finds the open requests in one pass over the events. */
class OpenRequests {
  readonly #byTurn = new Map<string, Map<string, PersonRequest>>();

  add(event: JournalEvent): void {
    const ofTurn = this.#byTurn.get(event.turn) ?? new Map<string, PersonRequest>();
    if ("request" in event) this.#byTurn.set(event.turn, ofTurn.set(event.id, event.request));
    else if ("id" in event) ofTurn.delete(event.id);
    else if (isSettlement(event)) {
      for (const [id, { callId }] of ofTurn) if (callId === event.callId) ofTurn.delete(id);
    }
    if (ofTurn.size === 0) this.#byTurn.delete(event.turn);
  }

  all(): readonly PersonRequest[] {
    return [...this.#byTurn.values()].flatMap((ofTurn) => [...ofTurn.values()]);
  }
}

const ASKING = ["approval-request", "question-request", "approval-answer", "question-answer"] as const;
const SETTLING = ["call-end", "call-refuse"] as const;

/** A second call under the same id is refused, which does not settle the first. */
function isSettlement(
  event: JournalEvent,
): event is JournalEvent & { readonly type: (typeof SETTLING)[number] } {
  if (event.type === "call-refuse") return event.code !== "duplicate_call";
  return event.type === "call-end";
}

/** A request of a turn, and what was signed for it so far. */
interface SignableRequest extends AskedRequest {
  readonly turn: string;
  readonly id: string;
  readonly before: readonly SignedApproval[];
}

/** Why a signed answer is refused. */
async function signedError(
  given: SignedApproval,
  { request, askedAt, before }: SignableRequest,
  { signedApprovals }: Runtime,
): Promise<string | undefined> {
  if (!("binding" in request)) return "answers to questions are not signed";
  const misfit = givenAnswerError(given, { request, askedAt });
  if (misfit !== undefined) return misfit;
  const error = await signedApprovals.errorOf(given, request, Date.now());
  if (error !== undefined) return error;
  const { approver, verdict } = given.statement;
  if (verdict === "reject" || request.needs === undefined) return undefined;
  const names = await validApprovals(before, request, signedApprovals);
  return signedApprovals.memberError(approver, request, names);
}

/** The answer that a signed one makes, or nothing yet where others must sign too. One rejection is enough. */
async function signedAnswer(
  { statement, signature }: SignedApproval,
  { turn, id, request, before }: SignableRequest,
  { signedApprovals, recorder }: Runtime,
): Promise<ApprovalAnswer | undefined> {
  const signed = { statement, signature };
  const by = statement.approver;
  if (statement.verdict === "reject")
    return { verdict: "reject", message: `Denied: ${by} rejected this call.`, by, signed: [signed] };
  const { needs, principal } = request as ApprovalRequest;
  if (needs === undefined) return { verdict: "once", by, signed: [signed] };
  recorder.write(turn, { type: "approval-sign", id, signed });
  await recorder.flush();
  const all = [...before, signed];
  const names = await validApprovals(all, request as ApprovalRequest, signedApprovals);
  if (signedApprovals.counted(needs, names, principal.user).some(isLacking)) return undefined;
  return { verdict: "once", by: [...new Set(names)].join(", "), signed: all };
}
