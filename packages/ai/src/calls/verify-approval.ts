import type { ApprovalRequest, Session } from "@toolkeep/core";
import type { ToolApprovalStatus } from "ai";
import { callsIn, responsesIn } from "../chat/message-history.ts";
import { type CallQueue, inputKey, toCall } from "./call-queue.ts";
import { type CallRecord, readCall } from "./call-record.ts";
import { askedTurn } from "./call-turn.ts";
import { bindingOf, claimOf, type SdkCall } from "./sdk-call.ts";

/** The approver in the journal if `verify` names none. */
const CLIENT = "client of the chat";

/**
 * Verifies a call from the messages, which the SDK is about to execute because the messages contain an approval. The
 * client wrote the messages: the approval is valid only for the tool and the arguments that this session asked about,
 * once, and in time.
 */
export async function verifyApproval(
  call: SdkCall,
  session: Session,
  queue: CallQueue,
): Promise<ToolApprovalStatus> {
  const turn = await askedTurn(call);
  const record = await readCall(session.journal, turn, call.toolCallId);
  if (record.state === "unknown" || record.state === "settled")
    return refuse(overWords(record), call, session, queue);
  const asked = await queue.pending.get(inputKey(session, turn));
  const error =
    rejectionIn(call) ?? lateError(record) ?? unsignedError(record) ?? bindingError(call, record, asked);
  if (error !== undefined || record.request === undefined || asked === undefined)
    return refuse(error ?? NOT_ASKED, call, session, queue);
  const by = await verified({ ...call, ...boundBy(asked) }, record.request, session, queue);
  if (by === undefined) return refuse("Denied: the approval was not accepted.", call, session, queue);
  queue.verified.set(await claimOf(call), { by, turn });
  return "user-approval";
}

const NOT_ASKED = "Denied: this chat never asked for approval of this call.";

/** Tells the model how the call ended, so that it does not repeat a call that already ran. */
function overWords(record: CallRecord & { state: "unknown" | "settled" }): string {
  if (record.state === "unknown") return NOT_ASKED;
  if (record.end === "not started")
    return "Denied: this call was already refused. An approval is valid once.";
  const before = "Denied: this approval was already used.";
  return record.end === "stopped"
    ? `${before} The call was stopped and its outcome is unknown. Find out what it did before you repeat it.`
    : `${before} The call ran once and ${record.end}; it does not run again.`;
}

/** A rejection in the same messages counts, whatever follows it. */
function rejectionIn({ messages, toolCallId }: SdkCall): string | undefined {
  const number = callsIn(messages, toolCallId) - 1;
  const isRejected = responsesIn(messages).some(
    (one) => one.toolCallId === toolCallId && one.number === number && !one.approved,
  );
  return isRejected ? "Denied: this call was rejected before." : undefined;
}

function lateError({ request }: { readonly request: ApprovalRequest | undefined }): string | undefined {
  return Date.now() > (request?.expiresAt ?? Number.POSITIVE_INFINITY)
    ? "Denied: the approval came too late. Make the call again."
    : undefined;
}

/** A request that needs signatures waits for them; the client's approval takes the call up again after that. */
function unsignedError(record: CallRecord & { state: "waiting" | "cut-off" }): string | undefined {
  return record.state === "waiting" && record.request.needs !== undefined
    ? "Denied: this call needs the signatures of its approvers, which are still missing."
    : undefined;
}

/** Returns why an approval is not for this tool and these arguments; `undefined` if it is. */
export function bindingError(
  call: SdkCall,
  record: { readonly tool: string },
  asked: string | undefined,
): string | undefined {
  if (asked === undefined)
    return "Denied: the arguments of the request are no longer stored. Make the call again.";
  const bound = boundBy(asked);
  if (record.tool !== call.toolName || bound.toolName !== call.toolName)
    return "Denied: the approval is for another tool.";
  return bindingOf(bound) === bindingOf(call) ? undefined : "Denied: the approval is for other arguments.";
}

function boundBy(asked: string): Pick<SdkCall, "toolName" | "input"> {
  const [toolName, input] = JSON.parse(asked) as [string, unknown];
  return { toolName, input };
}

/** Who gave the approval; `undefined` if it is rejected. */
async function verified(
  call: SdkCall,
  request: ApprovalRequest,
  session: Session,
  { verify }: CallQueue,
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

/** Records a refusal as a separate call, because the original request can still be approved. */
async function refuse(
  reason: string,
  call: SdkCall,
  session: Session,
  { verdicts }: CallQueue,
): Promise<ToolApprovalStatus> {
  if (verdicts !== undefined) {
    const refused = { ...call, toolCallId: `${call.toolCallId}.refused-${crypto.randomUUID()}` };
    await verdicts.during(refused, { action: "deny", reason }, () => session.run([toCall(refused)]));
    verdicts.forget(refused);
  }
  return { type: "denied", reason };
}
