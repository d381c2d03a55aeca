import type { AgentEvent } from "@toolkeep/ai";
import type { LanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

/** A call of a scripted model. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export const call = (id: string, name: string, input: unknown = {}): ScriptedCall => ({ id, name, input });

/** What a model is asked: its system prompt, and how many replies it has given in this conversation. */
export interface Asked {
  readonly system: string;
  readonly step: number;
  readonly prompt: string;
}

/** One model for all agents: it answers by what the conversation is, so that it does not matter which one asks first. */
export function modelOf(
  reply: (
    asked: Asked,
    signal: AbortSignal | undefined,
  ) => string | readonly ScriptedCall[] | Promise<string | readonly ScriptedCall[]>,
): { readonly model: Exclude<LanguageModel, string>; readonly asked: Asked[]; readonly options: unknown[] } {
  const asked: Asked[] = [];
  const options: unknown[] = [];
  const model = new MockLanguageModelV4({
    doStream: async (given) => {
      const { prompt, abortSignal } = given;
      const system = prompt
        .flatMap((message) => (message.role === "system" ? [message.content] : []))
        .join("\n");
      const step = prompt.filter(({ role }) => role === "assistant").length;
      const one = { system, step, prompt: JSON.stringify(prompt) };
      asked.push(one);
      options.push(given);
      const said = await reply(one, abortSignal);
      const isText = typeof said === "string";
      const content = isText
        ? [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: said },
            { type: "text-end", id: "1" },
          ]
        : said.map(({ id, name, input }) => ({
            ...{ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) },
          }));
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      };
      const finishReason = { unified: isText ? "stop" : "tool-calls", raw: undefined };
      return {
        stream: convertArrayToReadableStream([
          { type: "stream-start", warnings: [] },
          ...content,
          { type: "finish", finishReason, usage },
        ] as never[]),
      };
    },
  });
  return { model, asked, options };
}

type End = AgentEvent & { readonly type: "end" };

/** The last event of a run. */
export async function endOf(events: AsyncIterable<AgentEvent>): Promise<End> {
  const all = await allOf(events);
  const last = all.at(-1);
  if (last?.type !== "end") throw new TypeError("The last event is not the end.");
  return last;
}

export async function allOf(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
