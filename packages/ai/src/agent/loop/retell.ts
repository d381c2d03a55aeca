import type { ToolCall } from "@toolkeep/core";
import { isRecord } from "@toolkeep/core/internal";
import type { AssistantModelMessage } from "ai";
import type { ModelReply } from "../options/model-reply.ts";
import type { KeptValues } from "../record/kept-values.ts";
import type { RecordedReply, RecordedStep } from "../record/recorded-runs.ts";
import { NO_USAGE } from "./ask-model.ts";
import type { Conversation } from "./conversation.ts";

/** Adds a step that is over to the conversation, from what was kept raw of it or else from the journal. */
export async function retell(
  recorded: RecordedStep,
  conversation: Conversation,
  kept?: KeptValues,
): Promise<ModelReply | undefined> {
  const { step, messages, compaction, calls } = recorded;
  for (const { index, text } of messages) conversation.say((await kept?.message(index)) ?? text);
  const shorter = (await kept?.conversation(step)) ?? compaction?.messages;
  if (shorter !== undefined) conversation.replace(shorter);
  const reply = (await kept?.reply(step)) ?? fromJournal(recorded);
  if (reply === undefined) return undefined;
  conversation.addReply(reply);
  if (reply.calls.length > 0)
    conversation.addResults(
      reply.calls,
      reply.calls.map(({ id }) => calls.results.get(id)),
    );
  return reply;
}

/** A reply without secrets, and without what only the provider understands. It is shown again and never run. */
function fromJournal({ reply, calls }: RecordedStep): ModelReply | undefined {
  if (reply === undefined || reply === null) return undefined;
  const made = reply.calls.map(({ id, name }): ToolCall => {
    const args = calls.arguments.get(id);
    return { id, name, arguments: isRecord(args) ? args : {} };
  });
  return { ...reply, usage: reply.usage ?? NO_USAGE, calls: made, messages: [messageOf(reply, made)] };
}

function messageOf({ text }: RecordedReply, calls: readonly ToolCall[]): AssistantModelMessage {
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  const asked = calls.map(({ id, name, arguments: input }) => ({
    ...{ type: "tool-call" as const, toolCallId: id, toolName: name, input },
  }));
  return { role: "assistant", content: [...said, ...asked] };
}
