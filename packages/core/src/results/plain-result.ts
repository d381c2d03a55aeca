import type { RegisteredTool } from "../contract/call.ts";
import type { JsonSource, TextSink } from "../contract/json-text.ts";
import type { ToolResult } from "../contract/result.ts";
import { timeText } from "../contract/time-text.ts";

const ONCE = ',"labels":["untrusted"],"attempts":1,"startedAt":';
const AT_ONCE = ',"durationMs":0}';

/**
 * A plain success, which most results are. It writes itself from texts that are at hand, the same
 * as `JSON.stringify` would: this is on the path of every call.
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

  write(sink: TextSink): void {
    const { callId, attempts, startedAt, durationMs } = this.value;
    sink.add('{"callId":');
    sink.add(JSON.stringify(callId));
    sink.add(this.#found.texts.inResult);
    sink.add(this.#dataText);
    sink.add(attempts === 1 ? ONCE : `,"labels":["untrusted"],"attempts":${attempts},"startedAt":`);
    sink.add(timeText(startedAt));
    sink.add(durationMs === 0 ? AT_ONCE : `,"durationMs":${durationMs}}`);
  }

  toJSON(): unknown {
    return this.value;
  }
}
