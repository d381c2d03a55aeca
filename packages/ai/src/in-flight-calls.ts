import { type ToolContext, ToolFailure } from "@toolkeep/core";
import type { ToolExecutionOptions } from "ai";
import { runForeignTool } from "./run-foreign-tool.ts";
import type { SdkTool } from "./sdk-tool.ts";

/** A call that the SDK is executing right now: what it gave beside the arguments. */
export interface InFlightCall {
  readonly toolName: string;
  readonly tool: SdkTool;
  readonly options: ToolExecutionOptions<unknown>;
  /** Told of partial results, without secrets. */
  readonly onPartial?: (partial: unknown) => void;
}

/** The calls that the SDK is executing. A tool runs for one of them, or not at all. */
export class InFlightCalls {
  readonly #inFlightCalls = new Map<string, InFlightCall>();

  /** @throws ToolFailure `duplicate_call`. */
  async during<T>(inFlightCall: InFlightCall, run: () => Promise<T>): Promise<T> {
    const { toolCallId } = inFlightCall.options;
    if (this.#inFlightCalls.has(toolCallId)) {
      throw new ToolFailure("duplicate_call", "A call of this id is running.");
    }
    this.#inFlightCalls.set(toolCallId, inFlightCall);
    try {
      return await run();
    } finally {
      this.#inFlightCalls.delete(toolCallId);
    }
  }

  /**
   * What the session calls when everything is decided: the tool that it decided about, with the value that it
   * decided about. What the SDK is executing must be that tool.
   */
  async execute(toolName: string, input: unknown, ctx: ToolContext): Promise<unknown> {
    const inFlightCall = this.#inFlightCalls.get(ctx.toolCallId);
    if (inFlightCall === undefined)
      throw new ToolFailure("unavailable", "The AI SDK is not executing this call.");
    if (inFlightCall.toolName !== toolName)
      throw new ToolFailure("denied", "The AI SDK is executing another tool under the id of this call.");
    const { tool, options } = inFlightCall;
    return runForeignTool(() => tool.execute?.(input, { ...options, abortSignal: ctx.abortSignal }), ctx);
  }

  /** A partial result as the session shows it. */
  partial(callId: string, text: string): void {
    this.#inFlightCalls.get(callId)?.onPartial?.(JSON.parse(text));
  }
}
