import type { ToolResult } from "../contract/call/result.ts";
import { originName } from "../contract/values/origin.ts";

/** A call as a span of a trace. */
export interface TraceSpan {
  readonly spanId: string;
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly parentId?: string;
  readonly attrs: Readonly<Record<string, unknown>>;
}

/** Where the span belongs, and what else it should carry. */
export interface SpanOptions {
  readonly parentId?: string;
  /** Further attributes, such as metadata of the call. */
  readonly attrs?: Readonly<Record<string, unknown>>;
}

/** A result as a span, with the attributes that OpenTelemetry defines for tool calls. */
export function toTraceSpan(result: ToolResult, { parentId, attrs }: SpanOptions = {}): TraceSpan {
  return {
    spanId: result.callId,
    name: `execute_tool ${result.toolName}`,
    startAt: result.startedAt,
    endAt: result.startedAt + result.durationMs,
    ...(parentId === undefined ? {} : { parentId }),
    attrs: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": result.toolName,
      "gen_ai.tool.call.id": result.callId,
      ...(result.failure === undefined ? {} : { "error.type": result.failure.code }),
      ...(result.origin === undefined ? {} : { "toolkeep.origin": originName(result.origin) }),
      ...attrs,
    },
  };
}
