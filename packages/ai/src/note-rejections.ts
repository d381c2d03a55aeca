import { type Session, ToolkeepError } from "@toolkeep/core";
import type { ModelMessage } from "ai";
import { turnOf } from "./call-record.ts";
import { responsesIn } from "./message-history.ts";

/**
 * Writes down what the person turned down: the SDK calls nobody for that. A rejection needs no proof, because it
 * only narrows.
 */
export async function noteRejections(messages: readonly ModelMessage[], session: Session): Promise<void> {
  const rejections = responsesIn(messages).filter(({ approved }) => approved === false);
  if (rejections.length === 0) return;
  const waiting = await session.waiting();
  for (const { toolCallId, reason } of rejections) {
    const turnId = await turnOf(toolCallId);
    const requests = waiting.filter(({ id, callId }) => callId === toolCallId && id.startsWith(`${turnId}/`));
    if (requests.length === 0) continue;
    const words = reason === undefined ? {} : { words: `Denied by the person who was asked: ${reason}` };
    try {
      for (const { id } of requests) {
        await session.answer(id, { verdict: "reject", by: "client of the chat", ...words });
      }
      await session.resume(turnId);
    } catch (error) {
      // Another request of the chat was first.
      if (!ToolkeepError.isInstance(error)) throw error;
    }
  }
}
