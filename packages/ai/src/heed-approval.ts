import type { ApprovalRequest, Session } from "@toolkeep/core";
import type { ToolApprovalStatus } from "ai";
import { type CallDesk, inputKey, type SdkCall, stableText, toCall } from "./call-desk.ts";
import { type CallRecord, readCall, turnOf } from "./call-record.ts";
import { responsesIn } from "./message-history.ts";

/** Who is written down where nobody says who it was. */
const CLIENT = "client of the chat";

/**
 * A call from the messages, which the SDK is about to execute because they say that a person approved it. The
 * client wrote them: it counts only for what this session asked, with these arguments, once and in time.
 */
export async function heedApproval(
  call: SdkCall,
  session: Session,
  desk: CallDesk,
): Promise<ToolApprovalStatus> {
  const record = await readCall(session.journal, await turnOf(call.toolCallId), call.toolCallId);
  const fault = faultOf(record) ?? (await argumentFault(call, session, desk));
  if (fault !== undefined) return refuse(fault, call, session, desk);
  const { explanation, failure } = await session.explain(toCall(call));
  if (failure !== undefined) return { type: "denied", reason: failure.message };
  if (explanation.decision.action === "deny") {
    return refuse(explanation.decision.reason ?? "Denied: policy forbids it today.", call, session, desk);
  }
  const by = record.state === "waiting" ? await verified(call, record.request, session, desk) : CLIENT;
  if (by === undefined) return refuse("Denied: the approval was not accepted.", call, session, desk);
  desk.heeded.set(call.toolCallId, by);
  return "user-approval";
}

function faultOf(record: CallRecord): string | undefined {
  switch (record.state) {
    case "unknown":
      return "Denied: nobody was asked about this call, so nobody can have approved it.";
    case "settled":
      return settledWords(record);
    case "waiting":
      return Date.now() > (record.request.expiresAt ?? Number.POSITIVE_INFINITY)
        ? "Denied: the time to approve it is over. Make the call again."
        : undefined;
    default:
      return undefined;
  }
}

/** The model should know what became of it, and not try it again because an answer got lost. */
function settledWords({ ok, wasRun }: CallRecord & { state: "settled" }): string {
  if (!wasRun) return "Denied: this call was refused before. An approval counts once.";
  return `Denied: this approval was used before. The call ran once and ${ok ? "succeeded" : "failed"}; it is not run again.`;
}

async function argumentFault(call: SdkCall, session: Session, desk: CallDesk): Promise<string | undefined> {
  const asked = await desk.pending.get(await inputKey(session, call.toolCallId));
  if (asked === undefined) return "Denied: the arguments that were asked for are gone. Make the call again.";
  return asked === stableText(call.input)
    ? undefined
    : "Denied: these are not the arguments that a person was asked about.";
}

/** Who gave the approval; `undefined` if it does not count. */
async function verified(
  call: SdkCall,
  request: ApprovalRequest,
  session: Session,
  { verify }: CallDesk,
): Promise<string | undefined> {
  if (verify === undefined) return CLIENT;
  const response = responsesIn(call.messages).findLast(({ toolCallId }) => toolCallId === call.toolCallId);
  try {
    const answer = await verify({
      ...call,
      sessionId: session.id,
      requestId: request.id,
      ...(response === undefined ? {} : { approvalId: response.approvalId }),
    });
    if (answer === true) return CLIENT;
    return typeof answer === "object" && typeof answer.by === "string" ? answer.by : undefined;
  } catch {
    return undefined;
  }
}

/** A refusal is written down as a call of its own: what was asked for may still be answered rightly. */
async function refuse(
  reason: string,
  call: SdkCall,
  session: Session,
  { verdicts }: CallDesk,
): Promise<ToolApprovalStatus> {
  if (verdicts !== undefined) {
    const id = `${call.toolCallId}.refused-${crypto.randomUUID()}`;
    verdicts.set(id, { action: "deny", reason });
    await session.batch([{ ...toCall(call), id }]);
    verdicts.delete(id);
  }
  return { type: "denied", reason };
}
