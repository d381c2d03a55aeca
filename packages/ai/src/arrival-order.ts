/** Lets those who came first begin first, whatever each has to look up before. */
export class ArrivalOrder {
  #last: Promise<void> = Promise.resolve();

  /** To be called on arrival. `turn` resolves when all who came before have begun; `begun` lets the next one in. */
  arrive(): { readonly turn: Promise<void>; begun(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = this.#last;
    this.#last = turn.then(() => promise);
    return { turn, begun: resolve };
  }
}
