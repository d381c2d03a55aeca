import type { ApprovalAnswer, Approver } from "../../contract/approval/approval.ts";
import type { TaskRunner } from "../../contract/io/agent.ts";
import type { QuestionAnswers } from "../../contract/people/question.ts";
import type { Message, ParkKind } from "../../contract/store/steps.ts";
import type { PendingArguments } from "../../contract/store/store.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Answers } from "./answers.ts";

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

/** What the turns of one process share. */
export interface StepsOutside {
  readonly sessionId: string;
  readonly recorder: Recorder;
  readonly redactor: Redactor;
  readonly approver: Approver;
  readonly pending: PendingArguments;
  readonly answers: Answers;
  readonly tasks?: TaskRunner;
  /** Another one each time the session is opened, so that it is known which process began a step. */
  readonly token: string;
  takeMessages(): Promise<readonly Message[]> | readonly Message[];
}
