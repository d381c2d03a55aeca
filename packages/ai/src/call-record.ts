import type { ApprovalRequest, Session, ToolResult } from "@toolkeep/core";
import { webDigest } from "@toolkeep/core/journal";

/** How a call ended that began: `stopped` if nobody knows what it did. */
type CallEnd = "succeeded" | "failed" | "stopped" | "never began";

/** What the journal knows of one call. `tool` is the one that this session was asked for. */
export type CallRecord =
  | { readonly state: "unknown" }
  /** Somebody was asked, and nobody has answered. */
  | { readonly state: "waiting"; readonly tool: string; readonly request: ApprovalRequest }
  /** It was answered, or begun, and never came to an end: the process ended in between. */
  | { readonly state: "cut-off"; readonly tool: string; readonly request: ApprovalRequest | undefined }
  | { readonly state: "settled"; readonly tool: string; readonly end: CallEnd };

const TYPES = ["turn-start", "approval-request", "approval-answer", "call-end", "call-refuse"] as const;
/** What became of it is not known, though it did not succeed. */
const STOPPED: ReadonlySet<string> = new Set(["cancelled", "timed_out", "outcome_unknown"]);

/** Every call is a turn of its own: the SDK hands them over one by one. The name is made from the id, whatever is in it. */
export async function turnOf(toolCallId: string): Promise<string> {
  return `ai-${await webDigest(new TextEncoder().encode(toolCallId))}`;
}

export async function readCall(
  journal: Session["journal"],
  turn: string,
  toolCallId: string,
): Promise<CallRecord> {
  let tool: string | undefined;
  let end: CallEnd | undefined;
  let request: ApprovalRequest | undefined;
  let open: string | undefined;
  for await (const event of journal.read({ turn, types: TYPES })) {
    if (event.type === "turn-start") tool ??= event.calls.find(({ id }) => id === toolCallId)?.name ?? "";
    if (event.type === "approval-request") {
      open = event.id;
      request = event.request;
    }
    if (event.type === "approval-answer" && event.id === open) open = undefined;
    if (event.type === "call-end" && event.callId === toolCallId) {
      end = endOf(event.result.value as ToolResult);
    }
    if (event.type === "call-refuse" && event.callId === toolCallId) {
      end = event.code === "outcome_unknown" ? "stopped" : "never began";
    }
  }
  if (tool === undefined) return { state: "unknown" };
  if (end !== undefined) return { state: "settled", tool, end };
  return open === undefined || request === undefined
    ? { state: "cut-off", tool, request }
    : { state: "waiting", tool, request };
}

function endOf({ ok, failure }: ToolResult): CallEnd {
  if (ok) return "succeeded";
  return STOPPED.has(failure?.code ?? "") ? "stopped" : "failed";
}
