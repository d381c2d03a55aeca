import { originName } from "../contract/origin.ts";
import type { ToolResult } from "../contract/result.ts";

/** A call as a span of a trace, under OpenTelemetry's names for tool execution. */
export interface TraceSpan {
  readonly spanId: string;
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly parentId?: string;
  readonly attrs: Readonly<Record<string, unknown>>;
}

export interface SpanOptions {
  readonly parentId?: string;
  /** Metadata of this call: the place for whatever does not belong into the call itself. */
  readonly attrs?: Readonly<Record<string, unknown>>;
}

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
