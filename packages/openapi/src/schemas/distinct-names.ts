/** Unique names, except those that every object has. */
export class DistinctNames {
  readonly #taken = new Set<string>();
  /** Where to continue counting, so that many equal names take linear time. */
  readonly #counts = new Map<string, number>();

  isFree(name: string): boolean {
    return !this.#taken.has(name) && !(name in Object.prototype);
  }

  /** The name itself, or with a number appended. */
  give(plain: string): string {
    let name = plain;
    let count = this.#counts.get(plain) ?? 1;
    while (!this.isFree(name)) {
      count += 1;
      name = `${plain}_${count}`;
    }
    this.#counts.set(plain, count);
    this.#taken.add(name);
    return name;
  }
}
