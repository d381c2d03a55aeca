import type { GivenAnswer } from "@toolkeep/core";

const LOOK_EVERY_MS = 200;

/** An answer that somebody left elsewhere. */
export interface LeftAnswer {
  readonly requestId: string;
  readonly answer: GivenAnswer;
}

/** Resolves with `true` when the answer is recorded, or refused for good: then it may be removed. */
export type GiveAnswer = (left: LeftAnswer) => Promise<boolean>;

/** Gives every answer that was left, and removes those that were taken. */
export type TakeAnswers = (give: GiveAnswer) => Promise<void>;

interface LeftAnswersParts {
  readonly take: TakeAnswers;
  readonly give: GiveAnswer;
  /** Told once when answers cannot be looked for, and again after it went well in between. */
  onNote(note: string): void;
}

/** Looks for answers that were left elsewhere, while somebody waits for one. */
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

  /** Looks from here on, until the returned function is called. */
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

  /** Looks once, after whoever looks already. Resolves when everything that was found is given. */
  look(): Promise<void> {
    const take = () => this.#take(this.#give);
    this.#last = this.#last.then(take, take);
    return this.#last;
  }

  /** A fault must not end the process, and must not be told five times a second. */
  async #lookAgain(): Promise<void> {
    try {
      await this.look();
      this.#isTold = false;
    } catch {
      if (!this.#isTold) this.#onNote("Answers that were left elsewhere cannot be looked for.");
      this.#isTold = true;
    }
  }
}
