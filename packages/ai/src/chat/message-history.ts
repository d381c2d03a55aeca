import { type Session, ToolkeepError } from "@toolkeep/core";
import type { ModelMessage } from "ai";
import { turnOf } from "../calls/call-record.ts";

/**
 * Whether a call is in the messages that the SDK was given. A call that the model has just made never is; a call that is
 * executed because of an approval always is, and the client may have forged it.
 */
export function isInHistory(messages: readonly ModelMessage[], toolCallId: string): boolean {
  return partsOf(messages).some((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
}

/** The response of a client to one approval request. */
export interface ClientResponse {
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** The approvals and rejections in the messages, unverified. */
export function responsesIn(messages: readonly ModelMessage[]): readonly ClientResponse[] {
  const asked = new Map<string, string>();
  for (const part of partsOf(messages)) {
    if (part.type === "tool-approval-request") asked.set(part.approvalId, part.toolCallId);
  }
  return messages.flatMap((message) => {
    if (message.role !== "tool") return [];
    return message.content.flatMap((part) => {
      if (part.type !== "tool-approval-response") return [];
      const { approvalId, approved, reason } = part;
      const toolCallId = asked.get(approvalId);
      if (toolCallId === undefined) return [];
      return [{ toolCallId, approvalId, approved, ...(reason === undefined ? {} : { reason }) }];
    });
  });
}

type AssistantPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];

function partsOf(messages: readonly ModelMessage[]): readonly AssistantPart[] {
  return messages.flatMap((message) =>
    message.role === "assistant" && typeof message.content !== "string" ? message.content : [],
  );
}

/** Records rejections from the messages: the SDK has no callback for them. A rejection needs no proof: it only narrows. */
export async function noteRejections(messages: readonly ModelMessage[], session: Session): Promise<void> {
  const rejections = responsesIn(messages).filter(({ approved }) => approved === false);
  if (rejections.length === 0) return;
  const waiting = await session.waiting();
  for (const { toolCallId, reason } of rejections) {
    const turnId = await turnOf(toolCallId);
    const requests = waiting.filter(({ id, callId }) => callId === toolCallId && id.startsWith(`${turnId}/`));
    if (requests.length === 0) continue;
    const message = reason === undefined ? {} : { message: `Denied by the approver: ${reason}` };
    try {
      for (const { id } of requests) {
        await session.answer(id, { verdict: "reject", by: "client of the chat", ...message });
      }
      await session.resume(turnId);
    } catch (error) {
      // Another request of the chat was first.
      if (!ToolkeepError.isInstance(error)) throw error;
    }
  }
}
