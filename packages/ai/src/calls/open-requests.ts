import { type Session, ToolkeepError } from "@toolkeep/core";
import type { ModelMessage } from "ai";
import { requestsIn, responsesIn } from "../chat/message-history.ts";
import { type CallQueue, inputKey } from "./call-queue.ts";
import { turnOf } from "./call-turn.ts";

const CLIENT = "client of the chat";
const PASSED_OVER = "Denied: the chat was continued without an approval of this call.";

const NONE = () => false;
const ALL = () => true;

/**
 * The approval requests that a client can still answer. The SDK does not report a rejection: it asks the model again.
 * So a request is over when the model is asked again, unless messages that were read before show that it is still open.
 */
export class OpenRequests {
  readonly #queue: Pick<CallQueue, "chat" | "pending">;
  readonly #isAnyOpen: () => Promise<boolean>;
  /** Which turns are still open in the step that follows. */
  #isShown: (turn: string) => boolean = NONE;
  /** The tools that the SDK has offered to the model in this step, each once. */
  readonly #offered = new Set<string>();

  constructor(queue: Pick<CallQueue, "chat" | "pending">, isAnyOpen: () => Promise<boolean>) {
    this.#queue = queue;
    this.#isAnyOpen = isAnyOpen;
  }

  /**
   * Records the rejections in the messages of a request. A rejection needs no proof: it only narrows. `isNew`: the model
   * was asked in this request before, and the messages may be older than a request that is open.
   */
  async read(messages: readonly ModelMessage[], session: Session, { isNew }: { readonly isNew: boolean }) {
    const rejected = new Map<string, string | undefined>();
    for (const { approved, toolCallId, number, reason } of responsesIn(messages))
      if (approved === false) rejected.set(await turnOf(toolCallId, number), reason);
    const shown = await Promise.all(requestsIn(messages).map((one) => turnOf(one.toolCallId, one.number)));
    this.#isShown = isNew ? (turn) => shown.includes(turn) : ALL;
    this.#offered.clear();
    if (rejected.size === 0) return;
    await rejectTurns(session, async (turn) => {
      const reason = rejected.get(turn);
      return (
        rejected.has(turn) && (reason === undefined ? {} : { message: `Denied by the approver: ${reason}` })
      );
    });
  }

  /** The SDK offers a tool to the model. Every request that is still open and not shown is rejected. */
  async offer(name: string): Promise<void> {
    if (this.#offered.has(name)) {
      this.#offered.clear();
      this.#isShown = NONE;
    }
    this.#offered.add(name);
    const isShown = this.#isShown;
    if (isShown === ALL || !(await this.#isAnyOpen())) return;
    await this.#queue.chat.use((session) =>
      rejectTurns(session, async (turn) => {
        const wasAsked = (await this.#queue.pending.get(inputKey(session, turn))) !== undefined;
        return wasAsked && !isShown(turn) && { message: PASSED_OVER };
      }),
    );
  }
}

type Rejection = false | { readonly message?: string };

/** Rejects the open requests of every turn that `why` returns a rejection for. */
async function rejectTurns(session: Session, why: (turn: string) => Promise<Rejection>): Promise<void> {
  const turns = Map.groupBy(await session.waiting(), ({ id }) => id.slice(0, id.indexOf("/")));
  for (const [turn, requests] of turns) {
    const rejection = await why(turn);
    if (rejection === false) continue;
    try {
      for (const { id } of requests)
        await session.answer(id, { verdict: "reject", by: CLIENT, ...rejection });
      await session.resume(turn);
    } catch (error) {
      // Another request of the chat was first.
      if (!ToolkeepError.isInstance(error)) throw error;
    }
  }
}
