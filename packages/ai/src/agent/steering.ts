import type { Session } from "@toolkeep/core";

/**
 * The messages of the user on their way to the model. The session looks for them where its strategy says; with `one` it
 * has at most one at a time, and each step sees one.
 */
export class Steering {
  readonly #session: Pick<Session, "steer">;
  readonly #mode: "one" | "all";
  readonly #queue: string[] = [];
  #isOffered = false;

  constructor(session: Pick<Session, "steer">, mode: "one" | "all") {
    this.#session = session;
    this.#mode = mode;
  }

  add(text: string): void {
    if (this.#mode === "all") this.#session.steer(text);
    else {
      this.#queue.push(text);
      this.#offer();
    }
  }

  /** Of the messages that the session took, those that the next step sees. */
  deliver(arrived: readonly string[]): readonly string[] {
    if (this.#mode === "all") return arrived;
    const [first, ...rest] = arrived;
    this.#queue.unshift(...rest);
    if (first === undefined) return [];
    this.#isOffered = false;
    this.#offer();
    return [first];
  }

  #offer(): void {
    const next = this.#isOffered ? undefined : this.#queue.shift();
    if (next === undefined) return;
    this.#isOffered = true;
    this.#session.steer(next);
  }
}
