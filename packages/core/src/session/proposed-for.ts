import type { Principal } from "../contract/people/principal.ts";
import type { TurnOptions } from "./turn.ts";

const MOST_KEPT = 10_000;

/**
 * On whose behalf calls were proposed that are allowed and did not run yet. A ticket can come from anywhere, so it does
 * not say it itself.
 */
export class ProposedFor {
  readonly #byTurn = new Map<string, Partial<Principal>>();

  add(turn: string, principal: Partial<Principal> | undefined): void {
    if (principal === undefined) return;
    const [oldest] = this.#byTurn.size >= MOST_KEPT ? this.#byTurn.keys() : [];
    if (oldest !== undefined) this.#byTurn.delete(oldest);
    this.#byTurn.set(turn, principal);
  }

  take(turn: string): Pick<TurnOptions, "principal"> {
    const principal = this.#byTurn.get(turn);
    this.#byTurn.delete(turn);
    return principal === undefined ? {} : { principal };
  }
}
