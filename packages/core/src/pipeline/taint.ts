import type { Label } from "../contract/result.ts";

/** What a session and its children have taken in or touched. Once marked, it stays. */
export class Taint {
  readonly labels: ReadonlySet<Label>;
  readonly #labels = new Set<Label>();
  readonly #listeners = new Set<(label: Label) => void>();

  constructor() {
    this.labels = this.#labels;
  }

  /** There is nothing left to mark. */
  get isFull(): boolean {
    return this.#labels.size === 2;
  }

  add(labels: readonly Label[]): void {
    for (const label of labels) {
      if (this.#labels.has(label)) continue;
      this.#labels.add(label);
      for (const tell of this.#listeners) tell(label);
    }
  }

  /** Told of every label that is new, until it is undone: whoever keeps a record writes it down. */
  listen(tell: (label: Label) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }
}
