/** Stands for a name that a run asked for. */
export interface NamedAddress {
  readonly run: string;
  readonly host: string;
  /** Some of its ports may be reached. */
  readonly isOpen: boolean;
  readonly four: string;
  readonly six: string;
}

const MOST_IN_A_RUN = 2_000;
const MOST = 0xfff0;

/**
 * An address for each name that a run asks for, its own and no other's: a connection to it tells which host is wanted
 * and by which run.
 */
export class FalseAddresses {
  readonly #byAddress = new Map<string, NamedAddress>();
  readonly #byRun = new Map<string, Map<string, NamedAddress>>();
  #last = 0;

  /** `undefined` for a run that has asked for too many. */
  take(run: string, host: string, isOpen: boolean): NamedAddress | undefined {
    const names = this.#byRun.get(run) ?? new Map<string, NamedAddress>();
    this.#byRun.set(run, names);
    const known = names.get(host);
    if (known !== undefined || names.size >= MOST_IN_A_RUN || this.#byAddress.size >= 2 * MOST) return known;
    const number = this.#free();
    const [high, low] = [number >> 8, number & 0xff];
    const six = `fd00:7001:${isOpen ? 1 : 2}::${number.toString(16)}`;
    const named = { run, host, isOpen, four: `198.${isOpen ? 19 : 18}.${high}.${low}`, six };
    names.set(host, named);
    for (const address of [named.four, named.six]) this.#byAddress.set(address, named);
    return named;
  }

  of(address: string): NamedAddress | undefined {
    return this.#byAddress.get(address);
  }

  drop(run: string): void {
    for (const { four, six } of this.#byRun.get(run)?.values() ?? [])
      for (const address of [four, six]) this.#byAddress.delete(address);
    this.#byRun.delete(run);
  }

  #free(): number {
    const isTaken = (number: number) =>
      [18, 19].some((second) => this.#byAddress.has(`198.${second}.${number >> 8}.${number & 0xff}`));
    do this.#last = (this.#last % MOST) + 1;
    while (isTaken(this.#last));
    return this.#last;
  }
}
