import { ToolkeepError } from "../values/error.ts";
import { answerError, type PersonRequest, type SignedApproval } from "./approval.ts";

/** How long a request waits that does not say so itself. */
export const REQUEST_LASTS_MS = 30 * 24 * 3_600_000;

/** Until when a request can be answered, by when it was asked: in milliseconds since the epoch. */
export function expiryOf(request: PersonRequest, askedAt: number): number {
  return ("expiresAt" in request ? request.expiresAt : undefined) ?? askedAt + REQUEST_LASTS_MS;
}

/** A request, and when it was asked. */
export interface AskedRequest {
  readonly request: PersonRequest;
  readonly askedAt: number;
}

/** Why an answer cannot be one, to a request if it is given. Only the session knows if a signature is valid. */
export function givenAnswerError(answer: unknown, asked?: AskedRequest): string | undefined {
  const error = shapeError(answer, asked?.request);
  if (error !== undefined || asked === undefined) return error;
  return Date.now() > expiryOf(asked.request, asked.askedAt) ? "the time for it is over" : undefined;
}

function shapeError(answer: unknown, request: PersonRequest | undefined): string | undefined {
  const isForQuestions = request === undefined ? Array.isArray(answer) : "questions" in request;
  if (isForQuestions) return questionsError(answer, request);
  return isSignedAnswer(answer) ? signedError(answer) : answerError(answer);
}

export function isSignedAnswer(answer: unknown): answer is SignedApproval {
  return typeof answer === "object" && answer !== null && "statement" in answer && "signature" in answer;
}

export function isRejection(answer: unknown): boolean {
  const { verdict } = ((isSignedAnswer(answer) ? answer.statement : answer) ?? {}) as { verdict?: unknown };
  return verdict === "reject";
}

/** @throws ToolkeepError `answer_refused`. */
export function assertAnswer(requestId: string, answer: unknown, asked?: AskedRequest): void {
  const error = givenAnswerError(answer, asked) ?? (isUnsigned(answer, asked) ? UNSIGNED : undefined);
  if (error !== undefined) throw refusedAnswer(requestId, error);
}

export function refusedAnswer(requestId: string, why: string): ToolkeepError {
  const message = `The answer to ${JSON.stringify(requestId)} is refused: ${why}.`;
  return new ToolkeepError("answer_refused", message);
}

const UNSIGNED = "it is not signed, and the rule that asks needs signatures";

function isUnsigned(answer: unknown, asked: AskedRequest | undefined): boolean {
  const { needs } = (asked?.request ?? {}) as { readonly needs?: unknown };
  return needs !== undefined && !isSignedAnswer(answer) && !isRejection(answer);
}

function signedError({ statement, signature }: SignedApproval): string | undefined {
  const isWhole = typeof statement === "object" && statement !== null && typeof signature === "string";
  return isWhole ? undefined : "a signed answer has a `statement` and a `signature`";
}

/** No list at all means that there is no answer. */
function questionsError(answer: unknown, request: PersonRequest | undefined): string | undefined {
  const isList = (one: unknown) => Array.isArray(one) && one.every((text) => typeof text === "string");
  const asked = request !== undefined && "questions" in request ? request.questions.length : undefined;
  const isWhole = Array.isArray(answer) && answer.every(isList);
  return isWhole && (asked === undefined || answer.length === 0 || answer.length === asked)
    ? undefined
    : "it takes one list of texts for each question";
}
