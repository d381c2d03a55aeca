import { EdgeTable } from "./edge-table.ts";
import { coversText, isWildText, literalEnd, literalStart } from "./text-pattern.ts";

/** Values under text patterns. A text is held only against those that begin or end as it does. */
export class TextTable<Value> {
  readonly #literals = new Map<string, Value>();
  #wild: WildTable<Value> | undefined;

  /** What stands under the pattern. It is made where there is nothing yet. */
  at(pattern: string, make: () => Value): Value {
    if (isWildText(pattern)) {
      this.#wild ??= new WildTable();
      return this.#wild.at(pattern, make);
    }
    const known = this.#literals.get(pattern);
    if (known !== undefined) return known;
    const value = make();
    this.#literals.set(pattern, value);
    return value;
  }

  /** What stands under the patterns that cover the text; under those led by a wildcard only where it is free. */
  collect(text: string, isFree: boolean): readonly Value[] {
    const literal = this.#literals.get(text);
    const wild = this.#wild?.collect(text, isFree) ?? NONE;
    if (literal === undefined) return wild;
    return wild.length === 0 ? [literal] : [literal, ...wild];
  }
}

const NONE: readonly never[] = [];

interface Wild<Value> {
  readonly pattern: string;
  readonly isLed: boolean;
  readonly value: Value;
}

class WildTable<Value> {
  readonly #known = new Map<string, Wild<Value>>();
  readonly #byStart = new EdgeTable<Wild<Value>>(false);
  readonly #byEnd = new EdgeTable<Wild<Value>>(true);
  readonly #others: Wild<Value>[] = [];

  at(pattern: string, make: () => Value): Value {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known.value;
    const start = literalStart(pattern);
    const end = literalEnd(pattern);
    const wild = { pattern, isLed: start === "", value: make() };
    this.#known.set(pattern, wild);
    if (start === "" && end === "") this.#others.push(wild);
    else if (start.length > end.length) this.#byStart.add(start, wild);
    else this.#byEnd.add(end, wild);
    return wild.value;
  }

  collect(text: string, isFree: boolean): readonly Value[] {
    const candidates = this.#others.slice();
    this.#byStart.collect(text, candidates);
    this.#byEnd.collect(text, candidates);
    if (candidates.length === 0) return NONE;
    return candidates
      .filter(({ pattern, isLed }) => (isFree || !isLed) && coversText(pattern, text))
      .map(({ value }) => value);
  }
}
