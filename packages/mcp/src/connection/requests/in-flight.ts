import type { Question, QuestionAnswers } from "@toolkeep/core";
import type { CallClock } from "./call-clock.ts";

/** A request that waits for its answer. */
export interface WaitingRequest {
  readonly clock: CallClock;
  readonly signal: AbortSignal;
  /** The session that it belongs to, if any. */
  readonly owner?: string;
  /** How many questions the server asked the user during it. */
  asked: number;
  ask?(questions: readonly Question[], inPlace?: true): Promise<QuestionAnswers>;
}

/** The requests in flight on one connection, in the order they were started. */
export class InFlight {
  readonly #requests = new Set<WaitingRequest>();

  add(request: WaitingRequest): () => void {
    this.#requests.add(request);
    return () => this.#requests.delete(request);
  }

  /**
   * The most recent one with a user who can be asked, since servers do not say for which request they ask. Our own
   * requests, such as one for a list, are between them. None while requests of several sessions are in flight, because
   * one person could be asked, or answer, for another.
   */
  get latest(): WaitingRequest | undefined {
    const requests = [...this.#requests];
    const owners = new Set(requests.flatMap(({ owner }) => owner ?? []));
    return owners.size > 1
      ? undefined
      : (requests.findLast(({ ask }) => ask !== undefined) ?? requests.at(-1));
  }

  /** Pauses every clock while the user is asked: the server is not slow then, whichever request it is about. */
  async pausedWhile<T>(work: () => Promise<T>): Promise<T> {
    const paused = [...this.#requests];
    for (const { clock } of paused) clock.pause();
    try {
      return await work();
    } finally {
      for (const { clock } of paused) clock.resume();
    }
  }
}
