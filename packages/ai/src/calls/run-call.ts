import { type Proposal, type Session, ToolFailure, type ToolResult, type TurnOutcome } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import { isFromMessages } from "../chat/message-history.ts";
import { isPlainData, NOT_PLAIN } from "../foreign/plain-data.ts";
import type { ArrivalOrder } from "./call-queue.ts";
import { type CallQueue, inputKey, toCall, type VerifiedApproval } from "./call-queue.ts";
import { readCall } from "./call-record.ts";
import { newTurn } from "./call-turn.ts";
import { claimOf, type SdkCall } from "./sdk-call.ts";

type Arrival = ReturnType<ArrivalOrder["arrive"]>;

export interface RunOptions {
  readonly signal: AbortSignal | undefined;
  /** Taken on arrival, where work was necessary since: calls start in order, because the taint of one applies to the next. */
  readonly arrival?: Arrival;
}

/** Runs a call from the SDK in the session. @throws ToolFailure for a call that may not run. */
export async function runCall(
  call: SdkCall,
  queue: CallQueue,
  { signal, arrival = queue.order.arrive() }: RunOptions,
): Promise<ToolResult> {
  try {
    if (!isPlainData(call.input)) throw new ToolFailure("invalid_arguments", NOT_PLAIN);
    return await runInOrder(call, queue, { signal, arrival });
  } finally {
    arrival.begun();
  }
}

async function runInOrder(
  call: SdkCall,
  queue: CallQueue,
  { signal, arrival }: { readonly signal: AbortSignal | undefined; readonly arrival: Arrival },
): Promise<ToolResult> {
  const verified = takeVerified(call, await claimOf(call), queue);
  if (verified !== undefined) arrival.begun();
  return queue.chat.use(async (session) => {
    const options = signal === undefined ? {} : { signal };
    const proposal = await queue.proposals.take(call);
    if (proposal?.status === "refused") return proposal.result;
    const outcome =
      verified === undefined
        ? await begun(call, session, { arrival, proposal, ...options })
        : await resumed(call, verified, session, options);
    const result = outcome.status === "done" ? outcome.results[0] : await settled(call, session, outcome);
    // Only what was asked about is kept.
    if (verified !== undefined) await queue.pending.delete(inputKey(session, outcome.id));
    if (result === undefined) throw new ToolFailure("outcome_unknown", "The outcome of the call is unknown.");
    return result;
  });
}

/**
 * The approval of the call; `undefined` for a call that the model has just made. A call from the messages must have passed
 * `toolApproval` before, which compared it with the request.
 */
function takeVerified(
  { toolCallId, messages }: SdkCall,
  claim: string,
  { verified }: CallQueue,
): VerifiedApproval | undefined {
  const approval = verified.get(claim);
  verified.delete(claim);
  if (approval === undefined && isFromMessages(messages, toolCallId)) {
    throw new ToolFailure("denied", "Denied: this approval was not checked.", {
      hint: "Pass `toolApproval` to the SDK together with `tools`.",
    });
  }
  return approval;
}

interface Beginning {
  readonly arrival: Arrival;
  readonly proposal: Proposal | undefined;
  readonly signal?: AbortSignal;
}

/** A call that was not proposed has a turn of its own: a repeated id must not get the result of another call. */
async function begun(
  call: SdkCall,
  session: Session,
  { arrival, proposal, ...options }: Beginning,
): Promise<TurnOutcome> {
  const id = proposal?.id ?? (await newTurn(call, session));
  if (id === undefined) throw new ToolFailure("duplicate_call", "The id of this call was used too often.");
  await arrival.turn;
  // Only a parked call is resumed later; the SDK repeats an interrupted one, or not.
  const running = session.run(proposal ?? [toCall(call)], { ...options, id, keepArguments: "parked" });
  arrival.begun();
  return running;
}

/** Records the answer and resumes the turn with the arguments of the request. */
async function resumed(
  call: SdkCall,
  { by, turn }: VerifiedApproval,
  session: Session,
  options: { readonly signal?: AbortSignal },
): Promise<TurnOutcome> {
  const record = await readCall(session.journal, turn, call.toolCallId);
  if (record.state === "settled" || record.state === "unknown") {
    throw new ToolFailure("denied", "Denied: this approval was already used.");
  }
  if (record.tool !== call.toolName) {
    throw new ToolFailure("denied", "Denied: the approval is for another tool.");
  }
  try {
    if (record.state === "waiting") await session.answer(record.request.id, { verdict: "once", by });
    return await session.resume(turn, options);
  } catch (error) {
    // Another request with the same approval was first.
    const message = errorText(error);
    throw new ToolFailure("denied", `Denied: ${message}`, { cause: error });
  }
}

/**
 * The call asks now, although it did not when the SDK called `toolApproval`. The SDK cannot ask any more, so the call is
 * rejected and the model can repeat it.
 */
async function settled(call: SdkCall, session: Session, parked: TurnOutcome & { status: "waiting" }) {
  const record = await readCall(session.journal, parked.id, call.toolCallId);
  const why = record.state === "waiting" ? ` (${record.request.reason})` : "";
  const words = `Denied: this call needs approval${why}. Make the call again, by itself. If that does not help, pass \`toolApproval\` to the SDK together with \`tools\`.`;
  for (const request of parked.requests) {
    await session.answer(request, { verdict: "reject", message: words, by: "toolkeep" });
  }
  const outcome = await session.resume(parked.id);
  return outcome.results[0];
}
