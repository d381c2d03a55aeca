import { type Session, ToolFailure, type ToolResult, type TurnOutcome } from "@toolkeep/core";
import type { ArrivalOrder } from "./arrival-order.ts";
import { type CallQueue, claimOf, inputKey, type SdkCall, toCall } from "./call-queue.ts";
import { readCall, turnOf } from "./call-record.ts";
import { isInHistory } from "./message-history.ts";
import { isPlainData, NOT_PLAIN } from "./plain-data.ts";

type Place = ReturnType<ArrivalOrder["arrive"]>;

export interface RunOptions {
  readonly signal: AbortSignal | undefined;
  /** Taken when the call arrived, by whoever had to look something up since. What a call takes in counts for those after it. */
  readonly place?: Place;
}

/** Sends a call of the SDK through the session. @throws ToolFailure for one that has no leave to come here. */
export async function runCall(
  call: SdkCall,
  queue: CallQueue,
  { signal, place = queue.order.arrive() }: RunOptions,
): Promise<ToolResult> {
  try {
    if (!isPlainData(call.input)) throw new ToolFailure("invalid_arguments", NOT_PLAIN);
    return await inItsPlace(call, queue, { signal, place });
  } finally {
    place.begun();
  }
}

async function inItsPlace(
  call: SdkCall,
  queue: CallQueue,
  { signal, place }: { readonly signal: AbortSignal | undefined; readonly place: Place },
): Promise<ToolResult> {
  const by = takeVerified(call, await claimOf(call), queue);
  if (by !== undefined) place.begun();
  return queue.chat.use(async (session) => {
    const turnId = await turnOf(call.toolCallId);
    const options = signal === undefined ? {} : { signal };
    const outcome =
      by === undefined
        ? await begun(call, session, { id: turnId, place, ...options }, queue)
        : await resumed(call, by, session, options);
    const result = outcome.status === "done" ? outcome.results[0] : await settled(call, session, outcome);
    await queue.pending.delete(await inputKey(session, call.toolCallId));
    if (result === undefined)
      throw new ToolFailure("outcome_unknown", "Nobody knows what became of the call.");
    return result;
  });
}

/**
 * Who approved it; `undefined` for a call that the model has just made. A call from the messages must have
 * passed `toolApproval` a moment ago, where it was held against what was asked.
 */
function takeVerified(
  { toolCallId, messages }: SdkCall,
  claim: string,
  { verified }: CallQueue,
): string | undefined {
  const by = verified.get(claim);
  verified.delete(claim);
  if (by === undefined && isInHistory(messages, toolCallId)) {
    throw new ToolFailure("denied", "Denied: this approval was not checked.", {
      hint: "The application must give `toolApproval` to the SDK together with `tools`.",
    });
  }
  return by;
}

/** What is executed under an id that was used before would be given the result of another call. */
async function begun(
  call: SdkCall,
  session: Session,
  { place, ...options }: { readonly id: string; readonly place: Place; readonly signal?: AbortSignal },
  { early }: CallQueue,
): Promise<TurnOutcome> {
  const record = await readCall(session.journal, options.id, call.toolCallId);
  if (record.state !== "unknown" && !early.delete(await claimOf(call))) {
    throw new ToolFailure("duplicate_call", "The id of this call was used before in this chat.");
  }
  await place.turn;
  // A call that is cut off is made again by the SDK or not at all: only one that waits is gone on with.
  const running = session.run([toCall(call)], { ...options, keepArguments: "parked" });
  place.begun();
  return running;
}

/** The answer is written down, and the turn goes on with the arguments that were asked for. */
async function resumed(
  call: SdkCall,
  by: string,
  session: Session,
  options: { readonly signal?: AbortSignal },
): Promise<TurnOutcome> {
  const turnId = await turnOf(call.toolCallId);
  const record = await readCall(session.journal, turnId, call.toolCallId);
  if (record.state === "settled" || record.state === "unknown") {
    throw new ToolFailure("denied", "Denied: this approval was used before.");
  }
  if (record.tool !== call.toolName) {
    throw new ToolFailure("denied", "Denied: this is not the tool that a person was asked about.");
  }
  try {
    if (record.state === "waiting") await session.answer(record.request.id, { verdict: "once", by });
    return await session.resume(turnId, options);
  } catch (error) {
    // Two requests with the same approval: the other one was first.
    const words = error instanceof Error ? error.message : String(error);
    throw new ToolFailure("denied", `Denied: ${words}`, { cause: error });
  }
}

/**
 * The call asks now though it did not when the SDK wanted to know, or somebody else minds: the SDK cannot put a
 * question any more. It is turned down, and the model may make it again.
 */
async function settled(call: SdkCall, session: Session, parked: TurnOutcome & { status: "waiting" }) {
  const record = await readCall(session.journal, parked.id, call.toolCallId);
  const why = record.state === "waiting" ? ` (${record.request.reason})` : "";
  const words = `Denied: a person must be asked about this call first${why}. Make the call again, by itself. If that does not help: was \`toolApproval\` given to the SDK together with \`tools\`?`;
  for (const request of parked.requests) {
    await session.answer(request, { verdict: "reject", words, by: "toolkeep" });
  }
  const outcome = await session.resume(parked.id);
  return outcome.results[0];
}
