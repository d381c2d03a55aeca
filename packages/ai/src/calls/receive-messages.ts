import type { ApprovalAnswer, Session } from "@toolkeep/core";
import type { ModelMessage, ToolApprovalResponse } from "ai";
import { requestsIn, responsesIn, type SdkRequest } from "../chat/message-history.ts";
import { readCall } from "./call-record.ts";
import { turnOf } from "./call-turn.ts";

/** Adds to messages the answers that other processes gave to requests which the client has not answered. */
export async function withAnswers(
  messages: readonly ModelMessage[],
  session: Session,
): Promise<ModelMessage[]> {
  const known = new Set(responsesIn(messages).map(({ approvalId }) => approvalId));
  const open = requestsIn(messages).filter(
    ({ approvalId, at }) => !known.has(approvalId) && isLast(at, messages),
  );
  if (open.length === 0) return [...messages];
  // Answers that were left in the store reach the journal here.
  await session.waiting();
  const given = await Promise.all(open.map((request) => responseTo(request, session)));
  return withResponses(
    messages,
    given.filter((response) => response !== undefined),
  );
}

/** The SDK executes calls of the last assistant message only. */
function isLast(at: number, messages: readonly ModelMessage[]): boolean {
  return messages.slice(at + 1).every(({ role }) => role === "tool");
}

async function responseTo(
  { approvalId, toolCallId, number }: SdkRequest,
  session: Session,
): Promise<ToolApprovalResponse | undefined> {
  const turn = await turnOf(toolCallId, number);
  const record = await readCall(session.journal, turn, toolCallId);
  const answer: ApprovalAnswer | undefined = "answer" in record ? record.answer : undefined;
  if (answer === undefined) return undefined;
  if (answer.verdict !== "reject") return { type: "tool-approval-response", approvalId, approved: true };
  // Nothing runs: the rejection is settled.
  if (record.state === "cut-off") await session.resume(turn);
  const reason = answer.message === undefined ? {} : { reason: answer.message };
  return { type: "tool-approval-response", approvalId, approved: false, ...reason };
}

function withResponses(
  messages: readonly ModelMessage[],
  responses: readonly ToolApprovalResponse[],
): ModelMessage[] {
  const last = messages.at(-1);
  if (responses.length === 0) return [...messages];
  if (last?.role !== "tool") return [...messages, { role: "tool", content: [...responses] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...responses] }];
}
