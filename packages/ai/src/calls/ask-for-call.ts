import { type Session, type Ticket, ToolkeepError } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { ToolApprovalStatus } from "ai";
import { isInHistory } from "../chat/message-history.ts";
import { isPlainData, NOT_PLAIN } from "../foreign/plain-data.ts";
import { bindingOf, type CallQueue, inputKey, type SdkCall, toCall } from "./call-queue.ts";
import { turnOf } from "./call-record.ts";
import { verifyApproval } from "./verify-approval.ts";

/** Decides what the SDK does with a call. Nothing is executed here. */
export async function askForCall(call: SdkCall, queue: CallQueue): Promise<ToolApprovalStatus> {
  if (!isPlainData(call.input)) return denied(`Denied: ${NOT_PLAIN}`);
  return queue.chat.use(async (session) => {
    if (isInHistory(call.messages, call.toolCallId)) return verifyApproval(call, session, queue);
    const ticket = await proposeCall(call, session, queue);
    if (ticket === undefined)
      return denied(`Denied: the call id ${JSON.stringify(call.toolCallId)} was already used in this chat.`);
    if (ticket.status === "waiting") return { type: "user-approval", ...reasonOf(ticket.decision) };
    if (ticket.status === "refused" && ticket.decision !== undefined) return denied(modelText(ticket.result));
    // An invalid call fails when it is executed, with a message for the model.
    await queue.tickets.keep(call, ticket);
    return "not-applicable";
  });
}

/**
 * Proposes a call that the model has just made. An allowed call runs when it is executed; a call that asks parks now,
 * and a denied or invalid call is refused now. Both are in the journal. `undefined` if the id was used before.
 */
export async function proposeCall(
  call: SdkCall,
  session: Session,
  { pending }: Pick<CallQueue, "pending">,
): Promise<Ticket | undefined> {
  try {
    const ticket = await session.propose(toCall(call), { id: await turnOf(call.toolCallId) });
    if (ticket.status === "waiting")
      await pending.put(await inputKey(session, call.toolCallId), bindingOf(call));
    return ticket;
  } catch (error) {
    if (ToolkeepError.isInstance(error) && USED_BEFORE.has(error.code)) return undefined;
    throw error;
  }
}

/** The id names a turn that is recorded, or is being proposed right now. */
const USED_BEFORE: ReadonlySet<string> = new Set(["invalid_option", "turn_running"]);

function reasonOf({ reason }: { readonly reason?: string }) {
  return reason === undefined ? {} : { reason };
}

function denied(reason: string): ToolApprovalStatus {
  return { type: "denied", reason };
}
