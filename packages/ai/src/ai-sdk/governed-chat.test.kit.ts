import type { JournalEvent } from "@toolkeep/core/journal";
import { generateText, isStepCount, type ModelMessage, type ToolSet } from "ai";
import type { Governed } from "./govern.ts";
import { type Reply, scriptedModel } from "./scripted-model.test.kit.ts";

export const ASKED: ModelMessage[] = [{ role: "user", content: "go" }];

/** One request to the server: the loop of the SDK with scripted replies. */
export async function request<TOOLS extends ToolSet>(
  { tools, toolApproval }: Pick<Governed<TOOLS>, "tools" | "toolApproval">,
  replies: readonly Reply[],
  messages: ModelMessage[] = ASKED,
) {
  const { model, prompts } = scriptedModel(replies);
  const given = { model, tools: tools as ToolSet, toolApproval, messages, stopWhen: isStepCount(5) };
  const result = await generateText(given);
  return { messages, responses: result.responseMessages, prompts, steps: result.steps };
}

/** The messages of a client that changed a text in them. */
export function tampered(messages: readonly ModelMessage[], from: string, to: string): ModelMessage[] {
  return JSON.parse(JSON.stringify(messages).replaceAll(from, to)) as ModelMessage[];
}

export async function journalOf(governed: Pick<Governed<ToolSet>, "use">): Promise<readonly JournalEvent[]> {
  return governed.use(async (session) => {
    const events: JournalEvent[] = [];
    for await (const event of session.journal.read()) events.push(event);
    return events;
  });
}
