/** Values by what a text begins with, or ends with. One pass over its edge finds them, without cutting it. */
export class EdgeTable<Value> {
  readonly #isEnd: boolean;
  readonly #byHash = new Map<number, Value[]>();
  /** Whether there is an edge of this length. */
  readonly #lengths: boolean[] = [false];

  constructor(isEnd: boolean) {
    this.#isEnd = isEnd;
  }

  add(edge: string, value: Value): void {
    let hash = 0;
    for (let at = 0; at < edge.length; at += 1) hash = mixed(hash, this.#charAt(edge, at));
    while (this.#lengths.length <= edge.length) this.#lengths.push(false);
    this.#lengths[edge.length] = true;
    const known = this.#byHash.get(hash);
    if (known === undefined) this.#byHash.set(hash, [value]);
    else known.push(value);
  }

  /** Adds the values whose edge the text may have: different edges may share a hash. */
  collect(text: string, into: Value[]): void {
    const end = Math.min(text.length, this.#lengths.length - 1);
    let hash = 0;
    for (let at = 0; at < end; at += 1) {
      hash = mixed(hash, this.#charAt(text, at));
      if (this.#lengths[at + 1] !== true) continue;
      const values = this.#byHash.get(hash);
      if (values !== undefined) for (const value of values) into.push(value);
    }
  }

  #charAt(text: string, at: number): number {
    return text.charCodeAt(this.#isEnd ? text.length - 1 - at : at);
  }
}

/** Stays among the small integers, which a map finds fastest. */
function mixed(hash: number, char: number): number {
  return (Math.imul(hash, 31) + char + 1) & 0x3fffffff;
}
