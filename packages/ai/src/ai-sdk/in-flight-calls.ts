import { type ToolContext, ToolFailure } from "@toolkeep/core";
import type { ToolExecutionOptions } from "ai";
import { runForeignTool } from "../foreign/foreign-tool.ts";
import type { SdkTool } from "../foreign/input-shape.ts";

/** A call that the SDK is executing, with the options of the SDK. */
export interface InFlightCall {
  readonly toolName: string;
  readonly tool: SdkTool;
  readonly options: ToolExecutionOptions<unknown>;
  /** Receives partial results, redacted. */
  readonly onPartial?: (partial: unknown) => void;
}

/** The calls that the SDK is executing. A tool runs for one of them only. */
export class InFlightCalls {
  readonly #inFlightCalls = new Map<string, InFlightCall>();

  /** @throws ToolFailure `duplicate_call`. */
  async during<T>(inFlightCall: InFlightCall, run: () => Promise<T>): Promise<T> {
    const { toolCallId } = inFlightCall.options;
    if (this.#inFlightCalls.has(toolCallId)) {
      throw new ToolFailure("duplicate_call", "A call with this id is already running.");
    }
    this.#inFlightCalls.set(toolCallId, inFlightCall);
    try {
      return await run();
    } finally {
      this.#inFlightCalls.delete(toolCallId);
    }
  }

  /**
   * Called by the session after its decision, with the tool and the value of the decision. The SDK must be executing
   * that tool.
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

  /** Passes on a redacted partial result. */
  partial(callId: string, text: string): void {
    this.#inFlightCalls.get(callId)?.onPartial?.(JSON.parse(text));
  }
}
