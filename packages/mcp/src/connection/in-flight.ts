import type { Question, QuestionAnswers } from "@toolkeep/core";
import type { CallClock } from "./call-clock.ts";

/** A request that waits for its answer. */
export interface WaitingRequest {
  readonly clock: CallClock;
  readonly signal: AbortSignal;
  /** How often the server asked the person something for it. */
  asked: number;
  ask?(questions: readonly Question[]): Promise<QuestionAnswers>;
}

/** The requests of one connection that wait, in the order they were started. */
export class InFlight {
  readonly #requests = new Set<WaitingRequest>();

  add(request: WaitingRequest): () => void {
    this.#requests.add(request);
    return () => this.#requests.delete(request);
  }

  /** The one that was started last: servers do not say for which one they ask. */
  get latest(): WaitingRequest | undefined {
    return [...this.#requests].at(-1);
  }

  /** Stops every clock while a person is asked: whichever request it is about, it is not the server that is slow. */
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
