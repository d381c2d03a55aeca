import type { Session } from "@toolkeep/core";
import { callsIn } from "../chat/message-history.ts";
import { knownDigest } from "../foreign/known-digest.ts";
import { readCall } from "./call-record.ts";
import type { SdkCall } from "./sdk-call.ts";

/** How many calls of one id a chat can have. */
const MOST = 1_000;

/**
 * The id of the turn of a call. Every call is its own turn, because the SDK passes calls one by one. Some providers
 * count their calls anew in each step (`call_0`), so the calls of one id are numbered.
 */
export async function turnOf(toolCallId: string, number = 0): Promise<string> {
  const id = `ai-${await knownDigest(toolCallId)}`;
  return number === 0 ? id : `${id}.${number}`;
}

/** The turn of a call that the model has just made, if the messages have all earlier calls of its id. */
export async function expectedTurn({ toolCallId, messages }: SdkCall): Promise<string | undefined> {
  const number = callsIn(messages, toolCallId);
  return number < MOST ? turnOf(toolCallId, number) : undefined;
}

/** A turn for a call that the model has just made; `undefined` if the chat has too many calls of its id. */
export async function newTurn(call: SdkCall, session: Session): Promise<string | undefined> {
  const { toolCallId } = call;
  // The earlier calls of the id are in the messages, unless those were shortened.
  for (let number = callsIn(call.messages, toolCallId); number < MOST; number += 1) {
    const turn = await turnOf(toolCallId, number);
    const { state } = await readCall(session.journal, turn, toolCallId);
    if (state === "unknown") return turn;
  }
  return undefined;
}

/** The turn of a call that is in the messages: its position says which of the calls with its id it is. */
export function askedTurn({ toolCallId, messages }: SdkCall): Promise<string> {
  return turnOf(toolCallId, Math.max(0, callsIn(messages, toolCallId) - 1));
}
