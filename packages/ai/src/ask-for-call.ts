import { modelText, type Session } from "@toolkeep/core";
import type { ToolApprovalStatus } from "ai";
import { type CallDesk, inputKey, type SdkCall, stableText, toCall } from "./call-desk.ts";
import { readCall, turnOf } from "./call-record.ts";
import { heedApproval } from "./heed-approval.ts";
import { isInHistory } from "./message-history.ts";

/** What the SDK is told of a call before it executes it. Nothing is executed here. */
export async function askForCall(call: SdkCall, desk: CallDesk): Promise<ToolApprovalStatus> {
  return desk.chat.use((session) =>
    isInHistory(call.messages, call.toolCallId)
      ? heedApproval(call, session, desk)
      : proposeCall(call, session, desk),
  );
}

/**
 * A call that the model has just made. One that is allowed goes through the gate when it is executed; one that
 * asks or is denied goes through it now, and parks or is refused there: both are in the journal.
 */
export async function proposeCall(
  call: SdkCall,
  session: Session,
  desk: CallDesk,
): Promise<ToolApprovalStatus> {
  const turnId = await turnOf(call.toolCallId);
  if ((await readCall(session.journal, turnId, call.toolCallId)).state !== "unknown") {
    return denied(`Denied: the call id ${JSON.stringify(call.toolCallId)} was used before in this chat.`);
  }
  const { explanation } = await session.explain(toCall(call));
  // What does not even get to a decision fails when it is executed, with words for the model.
  if (explanation === undefined || explanation.decision.action === "allow") return "not-applicable";
  const key = await inputKey(session, call.toolCallId);
  await desk.pending.put(key, stableText(call.input));
  const outcome = await session.batch([toCall(call)], { turnId });
  if (outcome.status === "parked") return { type: "user-approval", ...reasonOf(explanation.decision) };
  await desk.pending.delete(key);
  const [result] = outcome.results;
  // An approver of the session's own has answered already: `execute` finds what came of it.
  if (result?.ok === true) {
    desk.early.add(call.toolCallId);
    return "not-applicable";
  }
  return denied(result === undefined ? "Denied." : modelText(result));
}

function reasonOf({ reason }: { readonly reason?: string }) {
  return reason === undefined ? {} : { reason };
}

function denied(reason: string): ToolApprovalStatus {
  return { type: "denied", reason };
}
