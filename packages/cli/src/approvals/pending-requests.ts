import type { WaitingRequest } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { CommandError, usageError } from "../terminal/command-error.ts";
import { localTime } from "../terminal/local-time.ts";
import { type StyledLine, wrappedLines } from "../terminal/styled-lines.ts";

/** The beginning of the ids of gateways' sessions. */
export const GATEWAY_SESSIONS = "gateway.";

/** The random end of a turn id. The part before it depends on the call, which the model chooses. */
const RANDOM_PART = /-([0-9a-f]{8,})$/;

/** Requests of gateways that run, or of other sessions, and those whose gateway has ended. */
export function byGateway(
  pending: readonly WaitingRequest[],
  sessions: readonly { readonly sessionId: string; readonly isInUse: boolean }[],
): { readonly open: readonly WaitingRequest[]; readonly ended: readonly WaitingRequest[] } {
  const isEnded = new Set(
    sessions
      .filter(({ sessionId, isInUse }) => sessionId.startsWith(GATEWAY_SESSIONS) && !isInUse)
      .map(({ sessionId }) => sessionId),
  );
  return {
    open: pending.filter(({ sessionId }) => !isEnded.has(sessionId)),
    ended: pending.filter(({ sessionId }) => isEnded.has(sessionId)),
  };
}

/** The id that the user types: that of the request, with the session in front if two requests share it. */
function requestName({ sessionId, request }: WaitingRequest, all: readonly WaitingRequest[]): string {
  const isUnique = all.filter((other) => other.request.id === request.id).length === 1;
  return isUnique ? request.id : `${sessionId}:${request.id}`;
}

/**
 * The pending request with an id. The id may be shortened to the part before the first `/`, or to the eight or more
 * random digits at the end of that part: with fewer, a model could make a call whose id matches too.
 * @throws CommandError if no request or several match.
 */
export function findRequest(id: string, all: readonly WaitingRequest[]): WaitingRequest {
  const names = all.map((one) => ({ one, names: [one.request.id, `${one.sessionId}:${one.request.id}`] }));
  const exact = names.filter((entry) => entry.names.includes(id));
  const matching = exact.length > 0 ? exact : names.filter(({ one }) => isShortFor(id, one.request.id));
  const [found, ...others] = matching.map(({ one }) => one);
  if (found !== undefined && others.length === 0) return found;
  if (found === undefined) {
    throw new CommandError(`No pending request has the id ${JSON.stringify(id)}.`, {
      hint: `${tooShort(id, all)}Run \`toolkeep approvals\` to list the pending requests. A request that was answered or has expired is no longer pending.`,
    });
  }
  const list = [found, ...others].map((one) => `${one.sessionId}:${one.request.id}`).join("\n  ");
  throw usageError(
    `${JSON.stringify(id)} matches ${matching.length} pending requests:\n  ${list}`,
    "Use a longer id.",
  );
}

/** Says how many requests begin with an id that is too short. */
function tooShort(id: string, all: readonly WaitingRequest[]): string {
  const turns = all.map(({ request }) => request.id.split("/")[0] ?? "");
  const begun = turns.filter((turn) => turn.startsWith(id) || RANDOM_PART.exec(turn)?.[1]?.startsWith(id));
  if (id === "" || begun.length === 0) return "";
  const many = begun.length === 1 ? "1 pending request begins" : `${begun.length} pending requests begin`;
  return `The id is too short: ${many} with it. `;
}

function isShortFor(id: string, whole: string): boolean {
  const [turn = ""] = whole.split("/");
  if (id.length >= turn.length) return whole.startsWith(id);
  return RANDOM_PART.exec(turn)?.[1] === id;
}

/** The random digits of an id alone, where no other pending request has them: they suffice in every command. */
function shortName(pending: WaitingRequest, all: readonly WaitingRequest[]): string {
  const [turn = ""] = pending.request.id.split("/");
  const digits = RANDOM_PART.exec(turn)?.[1];
  if (digits === undefined) return requestName(pending, all);
  const matching = all.filter(({ request }) => isShortFor(digits, request.id));
  return matching.length === 1 ? digits : requestName(pending, all);
}

/** A request for people. Text of a model or a tool cannot imitate another entry: each piece stays on its line. */
export function requestLines(pending: WaitingRequest, all: readonly WaitingRequest[]): readonly string[] {
  const { request, askedAt, sessionId } = pending;
  const details = "lines" in request ? request.lines.map(asShown) : questionLines(request).map(asWritten);
  return [
    visible(requestName(pending, all)),
    ...details.map((line) => `  ${line}`),
    `  asked ${localTime(askedAt)} in session ${visible(sessionId)}`,
  ];
}

/** The same in the terminal's width; in a list with a short id. */
export function requestRows(
  pending: WaitingRequest,
  all: readonly WaitingRequest[],
  isListed = false,
): readonly StyledLine[] {
  const [name = "", ...lines] = requestLines(pending, all);
  return [
    ...wrappedLines([isListed ? visible(shortName(pending, all)) : name], "bold"),
    ...wrappedLines(lines),
  ];
}

/** What is approved must be shown whole. */
const LONGEST = 12_000;

const asWritten = (line: string) => visible(line, LONGEST);
/** The lines of an approval are escaped already. Escaping them twice would show the marks as typed by the model. */
const asShown = (line: string) => (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line) ? asWritten(line) : line);

function questionLines({ toolName, questions }: Extract<WaitingRequest["request"], { questions: unknown }>) {
  return questions.flatMap(({ question, options = [] }, index) => [
    `${toolName} asks (${index + 1}): ${question}`,
    ...options.map(
      ({ label, description }) => `  - ${label}${description === undefined ? "" : `: ${description}`}`,
    ),
  ]);
}

/** A request for programs. */
export function requestRecord(pending: WaitingRequest, all: readonly WaitingRequest[]) {
  const { request, askedAt, sessionId } = pending;
  const details =
    "lines" in request
      ? { kind: "approval", reason: request.reason, effects: request.effects, lines: request.lines }
      : { kind: "question", questions: request.questions };
  return {
    id: requestName(pending, all),
    sessionId,
    toolName: request.toolName,
    askedAt: new Date(askedAt).toISOString(),
    ...details,
  };
}
