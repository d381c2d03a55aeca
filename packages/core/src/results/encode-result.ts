import type { RegisteredTool } from "../contract/call.ts";
import type { ToolResult } from "../contract/result.ts";
import { timeText } from "../contract/time-text.ts";

/**
 * A plain success as JSON, put together from texts that are at hand: most results are such, and
 * this is on the path of every call. Reads the same as `JSON.stringify`.
 */
export function encodePlainResult(result: ToolResult, found: RegisteredTool, dataText: string): string {
  const { callId, attempts, startedAt, durationMs } = result;
  return `{"callId":${JSON.stringify(callId)},${found.texts.inResult},"ok":true,"data":${dataText},"labels":["untrusted"],"attempts":${attempts},"startedAt":${timeText(startedAt)},"durationMs":${durationMs}}`;
}
