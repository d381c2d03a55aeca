/** The names that are locked, and who only looks like one of them. */
export class LockedNames {
  readonly #names = new Map<string, string>();

  add(name: string): void {
    this.#names.set(folded(name), name);
  }

  delete(name: string): void {
    if (this.#names.get(folded(name)) === name) this.#names.delete(folded(name));
  }

  /** The locked name that people and models would take this one for; `undefined` for itself and all others. */
  imitatedBy(name: string): string | undefined {
    if (this.#names.size === 0) return undefined;
    const locked = this.#names.get(folded(name));
    return locked === name ? undefined : locked;
  }
}

/** As somebody reads it who looks at the letters alone. */
function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[-_.\s]/g, "");
}
