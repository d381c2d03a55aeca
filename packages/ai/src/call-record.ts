import { type ApprovalRequest, type Session, type ToolResult, webDigest } from "@toolkeep/core";

/** What the journal knows of one call. */
export type CallRecord =
  | { readonly state: "unknown" }
  /** Somebody was asked, and nobody has answered. */
  | { readonly state: "waiting"; readonly request: ApprovalRequest }
  /** It was answered, or begun, and never came to an end: the process ended in between. */
  | { readonly state: "cut-off" }
  | { readonly state: "settled"; readonly ok: boolean; readonly wasRun: boolean };

const TYPES = ["turn-start", "approval-request", "approval-answer", "call-end", "call-refuse"] as const;

/** Every call is a turn of its own: the SDK hands them over one by one. The name is made from the id, whatever is in it. */
export async function turnOf(toolCallId: string): Promise<string> {
  return `ai-${await webDigest(new TextEncoder().encode(toolCallId))}`;
}

export async function readCall(
  journal: Session["journal"],
  turn: string,
  toolCallId: string,
): Promise<CallRecord> {
  let record: CallRecord = { state: "unknown" };
  let open: { readonly id: string; readonly request: ApprovalRequest } | undefined;
  for await (const event of journal.read({ turn, types: TYPES })) {
    if (event.type === "turn-start") record = { state: "cut-off" };
    if (event.type === "approval-request") open = { id: event.id, request: event.request };
    if (event.type === "approval-answer" && event.id === open?.id) open = undefined;
    if (event.type === "call-end" && event.callId === toolCallId) {
      record = { state: "settled", ok: (event.result.value as ToolResult).ok, wasRun: true };
    }
    if (event.type === "call-refuse" && event.callId === toolCallId) {
      record = { state: "settled", ok: false, wasRun: event.code === "outcome_unknown" };
    }
  }
  return record.state === "cut-off" && open !== undefined
    ? { state: "waiting", request: open.request }
    : record;
}
