import type { Session } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { ToolApprovalStatus } from "ai";
import { isInHistory } from "../chat/message-history.ts";
import { isPlainData, NOT_PLAIN } from "../foreign/plain-data.ts";
import { bindingOf, type CallQueue, claimOf, inputKey, type SdkCall, toCall } from "./call-queue.ts";
import { readCall, turnOf } from "./call-record.ts";
import { verifyApproval } from "./verify-approval.ts";

/** Decides what the SDK does with a call. Nothing is executed here. */
export async function askForCall(call: SdkCall, queue: CallQueue): Promise<ToolApprovalStatus> {
  if (!isPlainData(call.input)) return denied(`Denied: ${NOT_PLAIN}`);
  return queue.chat.use((session) =>
    isInHistory(call.messages, call.toolCallId)
      ? verifyApproval(call, session, queue)
      : proposeCall(call, session, queue),
  );
}

/**
 * Proposes a call that the model has just made. An allowed call runs when the SDK executes it; a call that asks parks
 * now, and a denied call is refused now. Both are in the journal.
 */
export async function proposeCall(
  call: SdkCall,
  session: Session,
  queue: CallQueue,
): Promise<ToolApprovalStatus> {
  const { toolCallId } = call;
  if (queue.asking.has(toolCallId)) return denied(usedBefore(call));
  queue.asking.add(toolCallId);
  try {
    return await proposeAlone(call, session, queue);
  } finally {
    queue.asking.delete(toolCallId);
  }
}

/** Runs once at a time for an id: the request, the kept arguments and the record must be of the same call. */
async function proposeAlone(call: SdkCall, session: Session, queue: CallQueue): Promise<ToolApprovalStatus> {
  const turnId = await turnOf(call.toolCallId);
  if ((await readCall(session.journal, turnId, call.toolCallId)).state !== "unknown") {
    return denied(usedBefore(call));
  }
  const { explanation } = await session.explain(toCall(call));
  // An invalid call fails when it is executed, with a message for the model.
  if (explanation === undefined || explanation.decision.action === "allow") return "not-applicable";
  const key = await inputKey(session, call.toolCallId);
  await queue.pending.put(key, bindingOf(call));
  const outcome = await session.run([toCall(call)], { id: turnId });
  if (outcome.status === "waiting") return { type: "user-approval", ...reasonOf(explanation.decision) };
  await queue.pending.delete(key);
  const [result] = outcome.results;
  // The session's own approver answered at once: `execute` returns the result.
  if (result?.ok === true) {
    queue.early.add(await claimOf(call));
    return "not-applicable";
  }
  return denied(result === undefined ? "Denied." : modelText(result));
}

function usedBefore({ toolCallId }: SdkCall): string {
  return `Denied: the call id ${JSON.stringify(toolCallId)} was already used in this chat.`;
}

function reasonOf({ reason }: { readonly reason?: string }) {
  return reason === undefined ? {} : { reason };
}

function denied(reason: string): ToolApprovalStatus {
  return { type: "denied", reason };
}
