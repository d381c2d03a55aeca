import { ToolkeepError } from "../contract/error.ts";
import type { Redactor } from "../redaction/redactor.ts";

const MOST_REMEMBERED = 10_000;
const TURN_ID = /^[\w.-]{1,128}$/;
const COUNTED = /^t(\d+)$/;

/** A turn's id, and whether the journal may know a turn of that name already. */
export interface TurnName {
  readonly id: string;
  readonly mayBeKnown: boolean;
}

/** Names turns: by counting, or as the loop wants. A turn that had the name before goes on where it was. */
export class TurnNames {
  readonly #named = new Set<string>();
  readonly #isReopened: boolean;
  readonly #redactor: Redactor;
  #counted: number;

  /** `counted` is the last number an earlier life of the session gave; `undefined` if there was none. */
  constructor(redactor: Redactor, counted?: number) {
    this.#redactor = redactor;
    this.#counted = counted ?? 0;
    this.#isReopened = counted !== undefined;
  }

  /** @throws ToolkeepError `invalid_option`. */
  take(wanted: string | undefined): TurnName {
    if (wanted === undefined) {
      this.#counted += 1;
      return { id: `t${this.#counted}`, mayBeKnown: false };
    }
    if (!TURN_ID.test(wanted)) {
      const diagnostic = `A turn id is letters, digits, ".", "_" and "-": ${JSON.stringify(wanted)}`;
      throw new ToolkeepError("invalid_option", diagnostic);
    }
    if (this.#redactor.find(wanted).length > 0)
      throw new ToolkeepError("invalid_option", "The turn id holds a secret. Name the turn otherwise.");
    const number = Number(COUNTED.exec(wanted)?.[1] ?? 0);
    const isUsed = number > 0 && number <= this.#counted;
    const mayBeKnown = this.#isReopened || isUsed || this.#named.has(wanted);
    this.#counted = Math.max(this.#counted, number);
    if (this.#named.size >= MOST_REMEMBERED) this.#named.clear();
    this.#named.add(wanted);
    return { id: wanted, mayBeKnown };
  }
}
