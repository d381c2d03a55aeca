import type { GivenAnswer } from "@toolkeep/core";

const LOOK_EVERY_MS = 200;

/** An answer that somebody left elsewhere. */
export interface LeftAnswer {
  readonly requestId: string;
  readonly answer: GivenAnswer;
}

/** Looks for answers that were left elsewhere, while somebody waits for one. */
export class LeftAnswers {
  readonly #take: () => readonly LeftAnswer[];
  readonly #give: (left: LeftAnswer) => Promise<void>;
  #waiting = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(take: () => readonly LeftAnswer[], give: (left: LeftAnswer) => Promise<void>) {
    this.#take = take;
    this.#give = give;
  }

  /** Looks from here on, until the returned function is called. */
  wait(): () => void {
    this.#waiting += 1;
    // What cannot be looked at now is looked at again: nobody else hears of it here.
    this.#timer ??= setInterval(() => void this.look().catch(() => {}), LOOK_EVERY_MS);
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
}
