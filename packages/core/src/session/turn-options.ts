import type { Budget } from "../contract/budget.ts";
import type { Principal } from "../contract/principal.ts";
import type { Cancellation } from "../pipeline/cancellation.ts";
import type { TurnRecord } from "../pipeline/turn-record.ts";

/** What may differ from turn to turn. */
export interface TurnOptions {
  /** Names the turn; counted where it is left out. */
  readonly turnId?: string;
  readonly budget?: Budget;
  readonly timeoutMs?: number;
  /** Cancels this turn alone. */
  readonly signal?: AbortSignal;
  readonly principal?: Partial<Principal>;
  /**
   * When raw arguments are put into the pending store: as the turn begins, so that it can be resumed after a crash
   * too, or only once it parks. `begun` where it is left out.
   */
  readonly keepArguments?: "begun" | "parked";
}

/** A turn before anything is made for it. */
export interface BegunTurn {
  readonly id: string;
  readonly canPark: boolean;
  /** What cancels it, as it was when the turn was asked for. */
  readonly within: Cancellation;
  readonly options: TurnOptions | undefined;
  readonly record?: TurnRecord | undefined;
}
