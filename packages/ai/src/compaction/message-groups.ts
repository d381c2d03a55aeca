import type { ModelMessage } from "ai";

/** Messages that stay together: one of the user, or a reply of the model with the results of its calls. */
export interface MessageGroup {
  readonly messages: readonly ModelMessage[];
  /** Whether a call in it has no result yet. */
  readonly isPending: boolean;
}

/** Splits a conversation where nothing is torn apart that belongs together. */
export function groupMessages(messages: readonly ModelMessage[]): readonly MessageGroup[] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === "tool" && last !== undefined) last.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => ({ messages: group, isPending: isPending(group) }));
}

function isPending(messages: readonly ModelMessage[]): boolean {
  const answered = new Set(
    messages.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
        : [],
    ),
  );
  return callsOf(messages).some(({ callId }) => !answered.has(callId));
}

/** The calls in these messages that the host runs. */
export function callsOf(
  messages: readonly ModelMessage[],
): readonly { readonly callId: string; readonly tool: string }[] {
  return messages.flatMap((message) =>
    message.role === "assistant" && typeof message.content !== "string"
      ? message.content.flatMap((part) =>
          part.type === "tool-call" && part.providerExecuted !== true
            ? [{ callId: part.toolCallId, tool: part.toolName }]
            : [],
        )
      : [],
  );
}

const MARKED = /^\[\[output \d+ of /m;

/** Results stand in messages of the user where a model has no function calling. */
export function isTextResult(message: ModelMessage): boolean {
  return message.role === "user" && typeof message.content === "string" && MARKED.test(message.content);
}

/** A message with the summary of what was left out before it. */
export function isSummary(message: ModelMessage): boolean {
  return message.providerOptions?.["toolkeep"]?.["summary"] === true;
}

/** A message in the words of the user. */
export function isOfUser(message: ModelMessage): boolean {
  return message.role === "user" && !isSummary(message) && !isTextResult(message);
}

/** Whether these messages have content that came from tools. */
export function haveUntrusted(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) =>
      message.role === "tool" ||
      isTextResult(message) ||
      message.providerOptions?.["toolkeep"]?.["untrusted"] === true,
  );
}
