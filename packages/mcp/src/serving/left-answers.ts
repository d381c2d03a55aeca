import type { GivenAnswer } from "@toolkeep/core";

const LOOK_EVERY_MS = 200;

/** An answer that was given elsewhere. */
export interface LeftAnswer {
  readonly requestId: string;
  readonly answer: GivenAnswer;
}

/** Resolves with `true` when the answer is recorded, or permanently refused: then it can be removed. */
export type GiveAnswer = (left: LeftAnswer) => Promise<boolean>;

/** Delivers every answer that is available, and removes those that were recorded. */
export type TakeAnswers = (give: GiveAnswer) => Promise<void>;

interface LeftAnswersParts {
  readonly take: TakeAnswers;
  readonly give: GiveAnswer;
  /** Called once when looking for answers fails, and again after it succeeded in between. */
  onNote(note: string): void;
}

/** Polls for answers that were given elsewhere, while a call waits for one. */
export class LeftAnswers {
  readonly #take: TakeAnswers;
  readonly #give: GiveAnswer;
  readonly #onNote: (note: string) => void;
  #waiting = 0;
  #isTold = false;
  #last: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ take, give, onNote }: LeftAnswersParts) {
    this.#take = take;
    this.#give = give;
    this.#onNote = onNote;
  }

  /** Polls from now on, until the returned function is called. */
  wait(): () => void {
    this.#waiting += 1;
    this.#timer ??= setInterval(() => void this.#lookAgain(), LOOK_EVERY_MS);
    return () => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Polls once, after a poll in progress. Resolves when everything that was found is delivered. */
  look(): Promise<void> {
    const take = () => this.#take(this.#give);
    this.#last = this.#last.then(take, take);
    return this.#last;
  }

  /** An error must not end the process, and must not be reported five times a second. */
  async #lookAgain(): Promise<void> {
    try {
      await this.look();
      this.#isTold = false;
    } catch {
      if (!this.#isTold) this.#onNote("Checking for approval answers failed.");
      this.#isTold = true;
    }
  }
}
