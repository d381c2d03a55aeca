import type { CallCounter, DecisionFacts, EarlierCalls } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";

/** More calls than these are not kept: what would have to count them fails instead. */
const MOST_CALLS = 10_000;

interface KeptCall {
  readonly key: string;
  readonly at: number;
  readonly call: PolicyCall;
}

/** The calls that a counter matched: when, and as which call of the history. */
interface Counted {
  next: number;
  readonly times: number[];
  readonly numbers: number[];
}

/** The calls of a session and of its children, for conditions on rates. Each call is matched once by each counter. */
export class CallHistory implements EarlierCalls {
  #calls: KeptCall[] = [];
  /** The number of each call that is kept. */
  readonly #keys = new Map<string, number>();
  #deciding: string | undefined;
  readonly #counted = new WeakMap<CallCounter, Counted>();
  /** The number of the first call that is kept. */
  #first = 0;
  #droppedAt = Number.NEGATIVE_INFINITY;

  /** A call that is decided again has the same key, and counts once. */
  add(key: string, at: number, call: PolicyCall): void {
    if (this.#keys.has(key)) return;
    this.#keys.set(key, this.#first + this.#calls.length);
    // A clock that is set back makes no call older than the one before it.
    this.#calls.push({ key, at: Math.max(at, this.#calls.at(-1)?.at ?? at), call });
    if (this.#calls.length > MOST_CALLS) this.#drop(MOST_CALLS / 2);
  }

  /** A call that is decided again, because it waited or was edited, does not count itself. */
  deciding<Decided>(key: string, decide: () => Decided): Decided {
    this.#deciding = key;
    try {
      return decide();
    } finally {
      this.#deciding = undefined;
    }
  }

  count(counter: CallCounter, since: number): number {
    return this.#countBefore(counter, since, this.#first + this.#calls.length);
  }

  /** The same without the calls that are added from here on. */
  upToHere(recorded?: DecisionFacts): EarlierCalls {
    const end = this.#first + this.#calls.length;
    return {
      ...(recorded === undefined ? {} : { recorded }),
      count: (counter, since) => this.#countBefore(counter, since, end),
    };
  }

  #countBefore(counter: CallCounter, since: number, end: number): number {
    if (this.#droppedAt >= since) throw new Error("more calls were made than are counted");
    const { times, numbers } = this.#matched(counter);
    const [from, to] = [indexOf(times, since), indexOf(numbers, end)];
    const own = this.#deciding === undefined ? undefined : this.#keys.get(this.#deciding);
    const at = own === undefined ? -1 : indexOf(numbers, own);
    const isCounted = at >= from && at < to && numbers[at] === own;
    return Math.max(0, to - from - Number(isCounted));
  }

  #matched(counter: CallCounter): Counted {
    const counted = this.#counted.get(counter) ?? { next: 0, times: [], numbers: [] };
    this.#counted.set(counter, counted);
    const end = this.#first + this.#calls.length;
    for (let number = Math.max(counted.next, this.#first); number < end; number += 1) {
      const { at, call } = this.#calls[number - this.#first] as KeptCall;
      if (!counter.matches(call)) continue;
      counted.times.push(at);
      counted.numbers.push(number);
    }
    counted.next = end;
    return counted;
  }

  #drop(count: number): void {
    const dropped = this.#calls.slice(0, count);
    for (const { key } of dropped) this.#keys.delete(key);
    this.#calls = this.#calls.slice(count);
    this.#first += count;
    this.#droppedAt = dropped.at(-1)?.at ?? this.#droppedAt;
  }
}

/** The index of the first value that is not less; the values ascend. */
function indexOf(values: readonly number[], least: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] as number) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
