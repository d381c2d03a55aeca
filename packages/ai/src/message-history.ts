import type { ModelMessage } from "ai";

/**
 * Whether a call stands in the messages that the SDK was given. A call that the model has just made never
 * does; one that is executed because of an approval always does, and whoever sent the messages may have
 * written it.
 */
export function isInHistory(messages: readonly ModelMessage[], toolCallId: string): boolean {
  return partsOf(messages).some((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
}

/** What a client says of one approval. */
export interface ClientResponse {
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** The approvals and rejections in the messages. Nothing of it is proven. */
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
