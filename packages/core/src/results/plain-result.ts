import type { ToolResult } from "../contract/call/result.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import { type JsonSource, quotedText } from "../contract/values/json-text.ts";

/**
 * A plain success, which most results are. It writes itself from texts that are at hand, and leaves
 * out what goes without saying: this is on the path of every call. It keeps nothing of the result
 * that the caller has: a journal may write it much later.
 */
export class PlainResult implements JsonSource {
  readonly #found: RegisteredTool;
  readonly #dataText: string;
  readonly #callId: string;
  readonly #attempts: number;
  readonly #startedAt: number;
  readonly #durationMs: number;

  constructor(result: ToolResult, found: RegisteredTool, dataText: string) {
    this.#found = found;
    this.#dataText = dataText;
    this.#callId = result.callId;
    this.#attempts = result.attempts;
    this.#startedAt = result.startedAt;
    this.#durationMs = result.durationMs;
  }

  get value(): ToolResult {
    return {
      callId: this.#callId,
      toolName: this.#found.name,
      origin: this.#found.origin,
      ok: true,
      data: JSON.parse(this.#dataText),
      labels: ["untrusted"],
      attempts: this.#attempts,
      startedAt: this.#startedAt,
      durationMs: this.#durationMs,
    };
  }

  get fields(): string {
    const attempts = this.#attempts === 1 ? "" : `,"attempts":${this.#attempts}`;
    return `"callId":${quotedText(this.#callId)}${this.#found.texts.inResult}${this.#dataText}${attempts},"durationMs":${this.#durationMs}}`;
  }

  get size(): number {
    return this.#dataText.length;
  }

  toJSON(): unknown {
    return this.value;
  }
}
