import type { ModelMessage } from "ai";

/**
 * Whether the SDK executes this call because of an approval in the messages, which the client wrote and may have forged.
 * A call that the model has just made is not in the messages; an earlier call of the same id may be, with its result.
 */
export function isFromMessages(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const called = messages.findLastIndex((message) => hasPart(message, "tool-call", toolCallId));
  if (called === -1) return false;
  const last = messages.length - 1;
  const isApproved = responsesIn(messages).some(
    (one) => one.toolCallId === toolCallId && one.approved && one.at === last,
  );
  return isApproved || !messages.slice(called).some((message) => hasPart(message, "tool-result", toolCallId));
}

/** How many calls with this id the messages have. */
export function callsIn(messages: readonly ModelMessage[], toolCallId: string): number {
  return messages
    .flatMap(partsOf)
    .filter((part) => part.type === "tool-call" && part.toolCallId === toolCallId).length;
}

/** The request of the SDK for one approval. */
export interface SdkRequest {
  readonly approvalId: string;
  readonly toolCallId: string;
  /** Which of the calls with this id it is about, from 0. */
  readonly number: number;
  /** The position of its message. */
  readonly at: number;
}

/** The approval requests in the messages, unverified. */
export function requestsIn(messages: readonly ModelMessage[]): readonly SdkRequest[] {
  const calls = new Map<string, number>();
  return messages.flatMap((message, at) => {
    if (message.role !== "assistant") return [];
    return partsOf(message).flatMap((part): readonly SdkRequest[] => {
      if (part.type === "tool-call") calls.set(part.toolCallId, (calls.get(part.toolCallId) ?? 0) + 1);
      if (part.type !== "tool-approval-request") return [];
      const { approvalId, toolCallId } = part;
      return [{ approvalId, toolCallId, number: Math.max(0, (calls.get(toolCallId) ?? 0) - 1), at }];
    });
  });
}

/** The response of a client to one approval request. */
export interface ClientResponse extends SdkRequest {
  readonly approved: boolean;
  readonly reason?: string;
}

/** The approvals and rejections in the messages, unverified. `at` is the position of the response. */
export function responsesIn(messages: readonly ModelMessage[]): readonly ClientResponse[] {
  const asked = new Map(requestsIn(messages).map((request) => [request.approvalId, request]));
  return messages.flatMap((message, at) => {
    if (message.role !== "tool") return [];
    return message.content.flatMap((part): readonly ClientResponse[] => {
      const request = part.type === "tool-approval-response" ? asked.get(part.approvalId) : undefined;
      if (part.type !== "tool-approval-response" || request === undefined) return [];
      const { approved, reason } = part;
      return [{ ...request, at, approved, ...(reason === undefined ? {} : { reason }) }];
    });
  });
}

type Part = Exclude<ModelMessage["content"], string>[number];

function partsOf({ content }: ModelMessage): readonly Part[] {
  return typeof content === "string" ? [] : content;
}

function hasPart(message: ModelMessage, type: "tool-call" | "tool-result", toolCallId: string): boolean {
  return partsOf(message).some((part) => part.type === type && part.toolCallId === toolCallId);
}
