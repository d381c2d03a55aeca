import type { LanguageModel, ModelMessage } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

/** One reply of the model: calls, or a text. */
export type Reply = string | readonly ScriptedCall[];

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type Asked = Parameters<MockLanguageModelV4["doGenerate"]>[0];
type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

const USAGE: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

interface ScriptedModel {
  readonly model: LanguageModel;
  readonly prompts: string[];
  /** The names of the tools that it was given a definition of, in each step. */
  readonly tools: (readonly string[])[];
}

/** A model that gives scripted replies and records its prompts and tools. */
export function scriptedModel(replies: readonly Reply[]): ScriptedModel {
  const prompts: string[] = [];
  const given: (readonly string[])[] = [];
  let next = 0;
  const take = ({ prompt, tools = [] }: Pick<Asked, "prompt" | "tools">) => {
    prompts.push(JSON.stringify(prompt));
    given.push(tools.map(({ name }) => name));
    const reply = replies[next] ?? "done";
    next += 1;
    return reply;
  };
  const model = new MockLanguageModelV4({
    doGenerate: async (asked) => generated(take(asked)),
    doStream: async (asked) => {
      const { content, finishReason, usage } = generated(take(asked));
      const text = content.flatMap((part): object[] =>
        part.type === "text"
          ? [
              { type: "text-start" as const, id: "1" },
              { type: "text-delta" as const, id: "1", delta: part.text },
              { type: "text-end" as const, id: "1" },
            ]
          : [part],
      );
      const parts = [{ type: "stream-start" as const, warnings: [] }, ...text];
      return {
        stream: convertArrayToReadableStream([
          ...parts,
          { type: "finish" as const, finishReason, usage },
        ] as never[]),
      };
    },
  });
  return { model, prompts, tools: given };
}

function generated(reply: Reply): Generated {
  const isText = typeof reply === "string";
  return {
    content: isText
      ? [{ type: "text", text: reply }]
      : reply.map(({ id, name, input }) => ({
          type: "tool-call" as const,
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        })),
    finishReason: isText ? { unified: "stop", raw: "stop" } : { unified: "tool-calls", raw: "tool-calls" },
    usage: USAGE,
    warnings: [],
  };
}

/** The next messages of a client whose user answered every open approval request this way. */
export function answered(
  messages: readonly ModelMessage[],
  responses: readonly ModelMessage[],
  approved: boolean,
): ModelMessage[] {
  const content = responses.flatMap((message) =>
    message.role === "assistant" && typeof message.content !== "string"
      ? message.content.flatMap((part) =>
          part.type === "tool-approval-request"
            ? [{ type: "tool-approval-response" as const, approvalId: part.approvalId, approved }]
            : [],
        )
      : [],
  );
  return [...messages, ...responses, { role: "tool", content }];
}
