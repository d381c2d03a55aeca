import { expiryOf } from "../contract/approval/given-answer.ts";
import type { JournalEntry, JournalEvent } from "../contract/store/event.ts";
import type { OpenJournal, RequestRef } from "../contract/store/store.ts";
import { JsonText } from "../contract/values/json-text.ts";
import { readTurn } from "../pipeline/record/turn-record.ts";
import { OUTCOME_UNKNOWN } from "../pipeline/run-call.ts";
import { EXPIRED, UNANSWERED } from "../pipeline/steps/expiry.ts";
import { failedResult, failure } from "../results/runtime-failure.ts";

type Asked = JournalEvent & { readonly type: "approval-request" | "question-request" };
type Parked = JournalEvent & { readonly type: "turn-park" };

const STANDING = ["turn-start", "turn-park", "approval-request", "question-request"] as const;

/**
 * Ends the turns of a session whose requests were not answered in time, as resuming them would: without the agent. A
 * session that still waits, here or in the session of a subagent, stays as it is. `stateOf` tells of those: `gone` is also
 * one that was answered.
 */
export async function endExpired(
  journal: OpenJournal,
  stateOf: (request: RequestRef) => Promise<"open" | "expired" | "gone">,
): Promise<void> {
  const asked: Asked[] = [];
  const parks: Parked[] = [];
  for await (const event of journal.read({ types: STANDING, standing: true }))
    if ("request" in event) asked.push(event);
    else if (event.type === "turn-park") parks.push(event);
  const now = Date.now();
  if (asked.some(({ request, at }) => expiryOf(request, at) > now)) return;
  const writing = new Writing(journal, now);
  const expired = new Set(asked.map(({ turn }) => turn));
  for (const { turn, of = turn, elsewhere = [] } of parks) {
    const states = await Promise.all(elsewhere.map(stateOf));
    if (states.includes("open") || !(expired.has(of) || states.includes("expired"))) continue;
    await endTurn(
      turn,
      asked.filter((request) => request.turn === turn),
      writing,
    );
  }
  await journal.flush();
}

/** Appends events that happen now. */
class Writing {
  readonly journal: OpenJournal;
  readonly #at: number;

  constructor(journal: OpenJournal, at: number) {
    this.journal = journal;
    this.#at = at;
  }

  async write(turn: string, entry: JournalEntry): Promise<void> {
    this.journal.append((await this.journal.extent()).nextSeq, this.#at, turn, entry);
  }
}

async function endTurn(turn: string, asked: readonly Asked[], writing: Writing): Promise<void> {
  const { done, begun } = await readTurn(writing.journal, turn);
  for (const { id, type } of asked)
    await writing.write(
      turn,
      type === "approval-request"
        ? { type: "approval-answer", id, answer: EXPIRED }
        : { type: "question-answer", id, answers: UNANSWERED },
    );
  for await (const event of writing.journal.read({ turn, types: ["turn-start"] })) {
    if (event.type !== "turn-start") continue;
    if (event.isRun === true)
      await writing.write(turn, { type: "run-end", reason: "cancelled", step: 0, text: "" });
    for (const { id, name } of event.calls)
      if (!done.has(id)) await writing.write(turn, refused(id, name, begun.has(id)));
  }
  await writing.write(turn, { type: "turn-end" });
}

const DENIED = failure("denied", "Denied: no answer came in time.");

function refused(callId: string, tool: string, hasBegun: boolean): JournalEntry {
  const why = hasBegun ? OUTCOME_UNKNOWN : DENIED;
  return {
    type: "call-refuse",
    ...{ callId, tool, stage: hasBegun ? "execute" : "authorize", code: why.code },
    arguments: new JsonText("null"),
    result: JsonText.of(failedResult({ id: callId, toolName: tool }, why)),
  };
}
