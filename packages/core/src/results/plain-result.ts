import type { RegisteredTool } from "../contract/call.ts";
import type { JsonSource, TextSink } from "../contract/json-text.ts";
import { quotedText } from "../contract/repeated-text.ts";
import type { ToolResult } from "../contract/result.ts";

/**
 * A plain success, which most results are. It writes itself from texts that are at hand, and leaves
 * out what goes without saying: this is on the path of every call.
 */
export class PlainResult implements JsonSource {
  readonly value: ToolResult;
  readonly #found: RegisteredTool;
  readonly #dataText: string;

  constructor(value: ToolResult, found: RegisteredTool, dataText: string) {
    this.value = value;
    this.#found = found;
    this.#dataText = dataText;
  }

  writeFields(sink: TextSink): void {
    const { callId, attempts, durationMs } = this.value;
    sink.add('"callId":');
    sink.add(quotedText(callId));
    sink.add(this.#found.texts.inResult);
    sink.add(this.#dataText);
    if (attempts !== 1) sink.add(`,"attempts":${attempts}`);
    sink.add(durationMs === 0 ? AT_ONCE : `,"durationMs":${durationMs}}`);
  }

  toJSON(): unknown {
    return this.value;
  }
}

const AT_ONCE = ',"durationMs":0}';
