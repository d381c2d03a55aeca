import type { Session, ToolResult } from "@toolkeep/core";
import { truncationNote } from "@toolkeep/core/internal";
import type { ChatSession } from "../chat/chat-session.ts";
import { turnOf } from "./call-turn.ts";

const MOST_NOTES = 10_000;

/**
 * The notes on outputs that were cut. An output keeps its type, so a note on structured data has no place in it: the
 * model is shown it next to the data.
 */
export class CutNotes {
  readonly #chat: Pick<ChatSession, "use">;
  readonly #notes = new Map<string, string>();

  constructor(chat: Pick<ChatSession, "use">) {
    this.#chat = chat;
  }

  keep({ callId, ...result }: ToolResult): void {
    const note = truncationNote(result);
    this.#notes.delete(callId);
    if (note === undefined) return;
    const [oldest] = this.#notes.keys();
    if (this.#notes.size >= MOST_NOTES && oldest !== undefined) this.#notes.delete(oldest);
    this.#notes.set(callId, note);
  }

  /** The note on an output of this process, or, for one that may have been cut, of an earlier one. */
  async of(toolCallId: string, mayBeCut: boolean): Promise<string | undefined> {
    const kept = this.#notes.get(toolCallId);
    if (kept !== undefined || !mayBeCut) return kept;
    // The note is a help; a chat that is in use elsewhere is no reason to fail.
    return this.#chat.use((session) => recordedNote(session, toolCallId)).catch(() => undefined);
  }
}

async function recordedNote({ journal }: Session, toolCallId: string): Promise<string | undefined> {
  for await (const event of journal.read({ turn: await turnOf(toolCallId), types: ["call-end"] })) {
    if (event.type === "call-end" && event.callId === toolCallId)
      return truncationNote(event.result.value as ToolResult);
  }
  return undefined;
}
