import type { ApprovalRequest, Session } from "@toolkeep/core";
import type { ToolApprovalStatus } from "ai";
import { bindingOf, type CallQueue, claimOf, inputKey, type SdkCall, toCall } from "./call-queue.ts";
import { type CallRecord, readCall, turnOf } from "./call-record.ts";
import { responsesIn } from "./message-history.ts";

/** Who is written down where nobody says who it was. */
const CLIENT = "client of the chat";

/**
 * A call from the messages, which the SDK is about to execute because they say that a person approved it. The
 * client wrote them: it counts only for the tool and the arguments that this session asked for, once and in time.
 */
export async function verifyApproval(
  call: SdkCall,
  session: Session,
  queue: CallQueue,
): Promise<ToolApprovalStatus> {
  const record = await readCall(session.journal, await turnOf(call.toolCallId), call.toolCallId);
  if (record.state === "unknown" || record.state === "settled")
    return refuse(overWords(record), call, session, queue);
  const asked = await queue.pending.get(await inputKey(session, call.toolCallId));
  const error = lateError(record) ?? bindingError(call, record, asked);
  if (error !== undefined || record.request === undefined || asked === undefined)
    return refuse(error ?? NOBODY_ASKED, call, session, queue);
  const { explanation, failure } = await session.explain(toCall(call));
  if (failure !== undefined) return { type: "denied", reason: failure.message };
  if (explanation.decision.action === "deny") {
    return refuse(explanation.decision.reason ?? "Denied: policy forbids it today.", call, session, queue);
  }
  const by = await verified({ ...call, ...boundBy(asked) }, record.request, session, queue);
  if (by === undefined) return refuse("Denied: the approval was not accepted.", call, session, queue);
  queue.verified.set(await claimOf(call), by);
  return "user-approval";
}

const NOBODY_ASKED = "Denied: nobody was asked about this call, so nobody can have approved it.";

/** The model should know what became of it, and not try it again because an answer got lost. */
function overWords(record: CallRecord & { state: "unknown" | "settled" }): string {
  if (record.state === "unknown") return NOBODY_ASKED;
  if (record.end === "never began") return "Denied: this call was refused before. An approval counts once.";
  const before = "Denied: this approval was used before.";
  return record.end === "stopped"
    ? `${before} The call was stopped; what it did is not known. Find that out before you make it again.`
    : `${before} The call ran once and ${record.end}; it is not run again.`;
}

function lateError({ request }: { readonly request: ApprovalRequest | undefined }): string | undefined {
  return Date.now() > (request?.expiresAt ?? Number.POSITIVE_INFINITY)
    ? "Denied: the time to approve it is over. Make the call again."
    : undefined;
}

/** Whether an approval is for this tool and these arguments; the words why not. */
export function bindingError(
  call: SdkCall,
  record: { readonly tool: string },
  asked: string | undefined,
): string | undefined {
  if (asked === undefined) return "Denied: the arguments that were asked for are gone. Make the call again.";
  const bound = boundBy(asked);
  if (record.tool !== call.toolName || bound.toolName !== call.toolName)
    return "Denied: this is not the tool that a person was asked about.";
  return bindingOf(bound) === bindingOf(call)
    ? undefined
    : "Denied: these are not the arguments that a person was asked about.";
}

function boundBy(asked: string): Pick<SdkCall, "toolName" | "input"> {
  const [toolName, input] = JSON.parse(asked) as [string, unknown];
  return { toolName, input };
}

/** Who gave the approval; `undefined` if it does not count. */
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

/** A refusal is written down as a call of its own: what was asked for may still be answered rightly. */
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
