import type { PersonRequest, Session } from "@toolkeep/core";
import { keyOfTurn, turnOfRequest } from "./call-key.ts";

/** A call that waited for an approver when an earlier process ended. */
export interface ParkedCall {
  readonly turnId: string;
  readonly key: string;
  /** What is still unanswered. */
  readonly requests: readonly PersonRequest[];
}

/** The unfinished served calls in the journal that wait for an answer; oldest first. */
export async function parkedCalls(
  session: Pick<Session, "journal" | "waiting">,
): Promise<readonly ParkedCall[]> {
  const turns = new Set<string>();
  const types = ["approval-request", "question-request", "turn-park", "turn-end"] as const;
  for await (const { type, turn } of session.journal.read({ types, standing: true })) {
    if (type === "turn-end") turns.delete(turn);
    else turns.add(turn);
  }
  const ours = [...turns].flatMap((turnId) => {
    const key = keyOfTurn(turnId);
    return key === undefined ? [] : [{ turnId, key }];
  });
  if (ours.length === 0) return [];
  const waiting = await session.waiting();
  return ours.map((call) => ({
    ...call,
    requests: waiting.filter(({ id }) => turnOfRequest(id) === call.turnId),
  }));
}
