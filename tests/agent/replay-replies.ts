import type { Session, ToolCall } from "@toolkeep/core";
import { aiSdk } from "@toolkeep/core/formats";
import type { JournalEvent, JournalQuery } from "@toolkeep/core/journal";
import type { LanguageModel } from "ai";
import { askModel } from "../../packages/ai/src/agent/loop/ask-model.ts";
import { Conversation } from "../../packages/ai/src/agent/loop/conversation.ts";
import { retell } from "../../packages/ai/src/agent/loop/retell.ts";
import { ModelTools } from "../../packages/ai/src/agent/model-tools.ts";
import { type RecordedStep, readRuns } from "../../packages/ai/src/agent/record/recorded-runs.ts";

/** A step for which the model says something else than was recorded. */
export interface ReplyDifference {
  readonly step: number;
  readonly recorded: string;
  readonly replayed: string;
}

/**
 * Asks the model again for each recorded step, with the recorded conversation before it, and reports where its reply
 * differs. No call is run: results come from the journal.
 */
export async function replayReplies(
  journal: { read(query: JournalQuery): AsyncIterable<JournalEvent> },
  { model, session }: { readonly model: LanguageModel; readonly session: Session },
): Promise<readonly ReplyDifference[]> {
  const differences: ReplyDifference[] = [];
  const conversation = new Conversation("native");
  const tools = new ModelTools().of(session.tools().map((tool) => aiSdk.definition(tool)));
  for (const { steps } of await readRuns(journal)) {
    for (const one of steps) {
      const asked = new Conversation("native");
      asked.replace(conversation.messages);
      for (const { text } of one.messages) asked.say(text);
      const signal = new AbortController().signal;
      const { text, calls } = await askModel({ model, system: "", messages: asked.messages, tools, signal });
      const [recorded, replayed] = [recordedReply(one), JSON.stringify({ text, calls })];
      if (recorded !== replayed) differences.push({ step: one.step, recorded, replayed });
      await retell(one, conversation);
    }
  }
  return differences;
}

function recordedReply({ reply, calls }: RecordedStep): string {
  const made = (reply?.calls ?? []).map(
    ({ id, name }): ToolCall => ({ id, name, arguments: calls.arguments.get(id) as ToolCall["arguments"] }),
  );
  return JSON.stringify({ text: reply?.text ?? "", calls: made });
}
