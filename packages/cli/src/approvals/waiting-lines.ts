import { visible } from "@toolkeep/core/internal";
import type { WaitingRequest } from "@toolkeep/sqlite";
import { waitingName } from "./find-waiting.ts";

/** What a person should see before answering. Nothing in it can pose as another entry: each piece stays on its line. */
export function waitingLines(waiting: WaitingRequest, all: readonly WaitingRequest[]): readonly string[] {
  const { request, askedAt, sessionId } = waiting;
  const about = "lines" in request ? request.lines.map(asShown) : questionLines(request).map(asWritten);
  return [
    visible(waitingName(waiting, all)),
    ...about.map((line) => `  ${line}`),
    `  asked ${new Date(askedAt).toISOString()} in the session ${visible(sessionId)}`,
  ];
}

/** What is approved must be read as a whole. */
const LONGEST = 12_000;

const asWritten = (line: string) => visible(line, LONGEST);
/** These were made to be shown: a second time, the marks in them would read as typed by the model. */
const asShown = (line: string) => (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line) ? asWritten(line) : line);

function questionLines({ toolName, questions }: Extract<WaitingRequest["request"], { questions: unknown }>) {
  return questions.flatMap(({ question, options = [] }, index) => [
    `${toolName} asks (${index + 1}): ${question}`,
    ...options.map(
      ({ label, description }) => `  - ${label}${description === undefined ? "" : `: ${description}`}`,
    ),
  ]);
}

/** The same for programs. */
export function waitingRecord(
  { request, askedAt, sessionId }: WaitingRequest,
  all: readonly WaitingRequest[],
) {
  const name = waitingName({ request, askedAt, sessionId }, all);
  const about =
    "lines" in request
      ? { kind: "approval", reason: request.reason, effects: request.effects, lines: request.lines }
      : { kind: "question", questions: request.questions };
  return {
    id: name,
    sessionId,
    toolName: request.toolName,
    askedAt: new Date(askedAt).toISOString(),
    ...about,
  };
}
