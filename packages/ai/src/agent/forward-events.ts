import type { ToolResult } from "@toolkeep/core";
import type { SessionRecord } from "@toolkeep/core/internal";
import type { AgentEvent } from "./options/agent-event.ts";

/** Shows what the session reports of the calls of a step. */
export function forwardEvents(
  record: Pick<SessionRecord, "listen">,
  emit: (event: AgentEvent) => void,
): () => void {
  return record.listen((event) => {
    const step = Number(/^m(\d+)$/.exec(event.turn)?.[1] ?? 0);
    if (step === 0 || isInside(event)) return;
    if (event.type === "call-start")
      emit({ type: "call-start", step, callId: event.callId, toolName: event.tool });
    else if (event.type === "call-update")
      emit({
        type: "call-update",
        step,
        callId: event.callId,
        toolName: event.tool,
        update: event.partial,
      });
    else if (event.type === "call-end" || event.type === "call-refuse")
      emit({ type: "result", step, result: event.result.value as ToolResult });
    else if (event.type === "approval-request" || event.type === "question-request")
      emit({ type: "request", step, request: event.request });
  });
}

/** Of a call that a tool made while it ran: the model knows nothing of it. What it asks for is shown. */
function isInside(event: Parameters<Parameters<SessionRecord["listen"]>[0]>[0]): boolean {
  return "callId" in event && event.callId.includes("/");
}
