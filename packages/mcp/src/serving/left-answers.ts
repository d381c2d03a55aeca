import type { GivenAnswer } from "@toolkeep/core";

const LOOK_EVERY_MS = 200;

/** An answer that somebody left elsewhere. */
export interface LeftAnswer {
  readonly requestId: string;
  readonly answer: GivenAnswer;
}

interface LeftAnswersParts {
  take(): readonly LeftAnswer[];
  give(left: LeftAnswer): Promise<void>;
  /** Told once when answers cannot be looked for, and again after it went well in between. */
  onNote(note: string): void;
}

/** Looks for answers that were left elsewhere, while somebody waits for one. */
export class LeftAnswers {
  readonly #take: () => readonly LeftAnswer[];
  readonly #give: (left: LeftAnswer) => Promise<void>;
  readonly #onNote: (note: string) => void;
  #waiting = 0;
  #isTold = false;
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

  /** Looks once. Resolves when everything that was found is given. */
  async look(): Promise<void> {
    for (const left of this.#take()) await this.#give(left);
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
