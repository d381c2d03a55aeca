import type { Session } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { ToolApprovalStatus } from "ai";
import { bindingOf, type CallQueue, claimOf, inputKey, type SdkCall, toCall } from "./call-queue.ts";
import { readCall, turnOf } from "./call-record.ts";
import { isInHistory } from "./message-history.ts";
import { isPlainData, NOT_PLAIN } from "./plain-data.ts";
import { verifyApproval } from "./verify-approval.ts";

/** What the SDK is told of a call before it executes it. Nothing is executed here. */
export async function askForCall(call: SdkCall, queue: CallQueue): Promise<ToolApprovalStatus> {
  if (!isPlainData(call.input)) return denied(`Denied: ${NOT_PLAIN}`);
  return queue.chat.use((session) =>
    isInHistory(call.messages, call.toolCallId)
      ? verifyApproval(call, session, queue)
      : proposeCall(call, session, queue),
  );
}

/**
 * A call that the model has just made. One that is allowed goes through the gate when it is executed; one that
 * asks or is denied goes through it now, and parks or is refused there: both are in the journal.
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

/** What is asked, kept and written down must be one and the same call, though another one claims its id meanwhile. */
async function proposeAlone(call: SdkCall, session: Session, queue: CallQueue): Promise<ToolApprovalStatus> {
  const turnId = await turnOf(call.toolCallId);
  if ((await readCall(session.journal, turnId, call.toolCallId)).state !== "unknown") {
    return denied(usedBefore(call));
  }
  const { explanation } = await session.explain(toCall(call));
  // What does not even get to a decision fails when it is executed, with words for the model.
  if (explanation === undefined || explanation.decision.action === "allow") return "not-applicable";
  const key = await inputKey(session, call.toolCallId);
  await queue.pending.put(key, bindingOf(call));
  const outcome = await session.run([toCall(call)], { id: turnId });
  if (outcome.status === "waiting") return { type: "user-approval", ...reasonOf(explanation.decision) };
  await queue.pending.delete(key);
  const [result] = outcome.results;
  // An approver of the session's own has answered already: `execute` finds what came of it.
  if (result?.ok === true) {
    queue.early.add(await claimOf(call));
    return "not-applicable";
  }
  return denied(result === undefined ? "Denied." : modelText(result));
}

function usedBefore({ toolCallId }: SdkCall): string {
  return `Denied: the call id ${JSON.stringify(toolCallId)} was used before in this chat.`;
}

function reasonOf({ reason }: { readonly reason?: string }) {
  return reason === undefined ? {} : { reason };
}

function denied(reason: string): ToolApprovalStatus {
  return { type: "denied", reason };
}
