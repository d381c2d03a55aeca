import type { ApprovalAnswer, ApprovalRequest, Session, ToolResult } from "@toolkeep/core";

/** How a call ended: `stopped` if its outcome is unknown. */
type CallEnd = "succeeded" | "failed" | "stopped" | "not started";

/** The state of one call according to the journal. `tool` is the tool of the request. */
export type CallRecord =
  | { readonly state: "unknown" }
  /** Approval was requested and not answered. */
  | { readonly state: "waiting"; readonly tool: string; readonly request: ApprovalRequest }
  /** It was answered or started, and the process ended before the call did. */
  | {
      readonly state: "cut-off";
      readonly tool: string;
      readonly request: ApprovalRequest | undefined;
      readonly answer: ApprovalAnswer | undefined;
    }
  | {
      readonly state: "settled";
      readonly tool: string;
      readonly end: CallEnd;
      readonly answer: ApprovalAnswer | undefined;
    };

const TYPES = ["turn-start", "approval-request", "approval-answer", "call-end", "call-refuse"] as const;
/** It did not succeed, and its outcome is unknown. */
const STOPPED: ReadonlySet<string> = new Set(["cancelled", "timed_out", "outcome_unknown"]);

export async function readCall(
  journal: Session["journal"],
  turn: string,
  toolCallId: string,
): Promise<CallRecord> {
  let tool: string | undefined;
  let end: CallEnd | undefined;
  let request: ApprovalRequest | undefined;
  let open: string | undefined;
  let answer: ApprovalAnswer | undefined;
  for await (const event of journal.read({ turn, types: TYPES })) {
    if (event.type === "turn-start") tool ??= event.calls.find(({ id }) => id === toolCallId)?.name ?? "";
    if (event.type === "approval-request") {
      open = event.id;
      request = event.request;
    }
    if (event.type === "approval-answer" && event.id === open) {
      open = undefined;
      answer = event.answer;
    }
    if (event.type === "call-end" && event.callId === toolCallId) {
      end = endOf(event.result.value as ToolResult);
    }
    if (event.type === "call-refuse" && event.callId === toolCallId) {
      end = event.code === "outcome_unknown" ? "stopped" : "not started";
    }
  }
  if (tool === undefined) return { state: "unknown" };
  if (end !== undefined) return { state: "settled", tool, end, answer };
  return open === undefined || request === undefined
    ? { state: "cut-off", tool, request, answer }
    : { state: "waiting", tool, request };
}

function endOf({ ok, failure }: ToolResult): CallEnd {
  if (ok) return "succeeded";
  return STOPPED.has(failure?.code ?? "") ? "stopped" : "failed";
}
