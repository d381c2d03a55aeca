import type { ToolCall, ToolResult } from "@toolkeep/core";
import type { ModelMessage, ToolResultPart } from "ai";
import type { ModelReply } from "../options/model-reply.ts";
import { markedText, shownResult } from "../record/shown-result.ts";

/** How the model calls tools, and so how results go back to it. */
export type ToolCalling = "native" | "text";

/** What the model has seen so far, as the AI SDK takes it. */
export class Conversation {
  readonly #toolCalling: ToolCalling;
  #messages: ModelMessage[] = [];

  constructor(toolCalling: ToolCalling) {
    this.#toolCalling = toolCalling;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  say(text: string): void {
    this.#messages.push({ role: "user", content: text });
  }

  addReply({ messages }: Pick<ModelReply, "messages">): void {
    this.#messages.push(...messages);
  }

  /** One result for each call, in order. A call without one was interrupted. */
  addResults(calls: readonly ToolCall[], results: readonly (ToolResult | undefined)[]): void {
    if (this.#toolCalling === "text") {
      const texts = calls.map(({ name }, index) => `Result of ${name}:\n${textOf(results[index])}`);
      this.say(texts.join("\n\n"));
      return;
    }
    const content = calls.map(({ id, name }, index) => partOf(id, name, results[index]));
    this.#messages.push({ role: "tool", content });
  }

  replace(messages: readonly ModelMessage[]): void {
    this.#messages = [...messages];
  }
}

const INTERRUPTED = "Interrupted: the call has no result.";

function textOf(result: ToolResult | undefined): string {
  if (result === undefined) return `Error: ${INTERRUPTED}`;
  return result.ok ? markedText(result) : `Error: ${markedText(result)}`;
}

function partOf(toolCallId: string, toolName: string, result: ToolResult | undefined): ToolResultPart {
  if (result !== undefined) return { ...shownResult(result), toolCallId, toolName };
  return { type: "tool-result", toolCallId, toolName, output: { type: "error-text", value: INTERRUPTED } };
}
