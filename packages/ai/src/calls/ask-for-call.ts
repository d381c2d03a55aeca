import { type Decision, type Proposal, type Session, ToolkeepError } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { ToolApprovalStatus } from "ai";
import { isFromMessages } from "../chat/message-history.ts";
import { isPlainData, NOT_PLAIN } from "../foreign/plain-data.ts";
import { type CallQueue, inputKey, toCall } from "./call-queue.ts";
import { expectedTurn, newTurn } from "./call-turn.ts";
import { bindingOf, type SdkCall } from "./sdk-call.ts";
import { verifyApproval } from "./verify-approval.ts";

/** Decides what the SDK does with a call. Nothing is executed here. */
export async function askForCall(call: SdkCall, queue: CallQueue): Promise<ToolApprovalStatus> {
  if (!isPlainData(call.input)) return denied(`Denied: ${NOT_PLAIN}`);
  return queue.chat.use(async (session) => {
    if (isFromMessages(call.messages, call.toolCallId)) return verifyApproval(call, session, queue);
    const proposal = await proposeCall(call, session, queue);
    if (proposal === undefined)
      return denied(`Denied: the call id ${JSON.stringify(call.toolCallId)} is in use in this chat.`);
    if (proposal.status === "waiting") return { type: "user-approval", ...reasonOf(proposal.decision) };
    if (proposal.status === "refused" && proposal.decision !== undefined)
      return denied(modelText(proposal.result));
    // An invalid call fails when it is executed, with a message for the model.
    await queue.proposals.keep(call, proposal);
    return "not-applicable";
  });
}

/**
 * Proposes a call that the model has just made. An allowed call runs when it is executed; a call that asks parks now,
 * and a denied or invalid call is refused now. Both are in the journal. `undefined` if another call with this id is
 * being proposed, or there are too many of them.
 */
export async function proposeCall(
  call: SdkCall,
  session: Session,
  { pending }: Pick<CallQueue, "pending">,
): Promise<Proposal | undefined> {
  // Mostly the messages have every earlier call of the id. The session reads the turn in any case, so it is tried first.
  const proposal =
    (await proposedAs(await expectedTurn(call), call, session)) ??
    (await proposedAs(await newTurn(call, session), call, session));
  if (proposal?.status === "waiting") await pending.put(inputKey(session, proposal.id), bindingOf(call));
  return proposal;
}

/** `undefined` if the turn was used before. */
async function proposedAs(
  turn: string | undefined,
  call: SdkCall,
  session: Session,
): Promise<Proposal | undefined> {
  if (turn === undefined) return undefined;
  try {
    return await session.propose(toCall(call), { id: turn });
  } catch (error) {
    if (ToolkeepError.isInstance(error) && USED_BEFORE.has(error.code)) return undefined;
    throw error;
  }
}

/** The id names a turn that is recorded, or is being proposed right now. */
const USED_BEFORE: ReadonlySet<string> = new Set(["invalid_option", "turn_running"]);

/** For the user of the application: what is at stake, and not the rule. */
function reasonOf({ layer, because, reason }: Decision) {
  const shown = because ?? (layer === "rule" ? undefined : reason);
  return shown === undefined ? {} : { reason: shown };
}

function denied(reason: string): ToolApprovalStatus {
  return { type: "denied", reason };
}
