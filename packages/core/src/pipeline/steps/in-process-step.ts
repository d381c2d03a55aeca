import type { Step } from "../../contract/store/steps.ts";
import type { Cancellation } from "../turn/cancellation.ts";

/** A step within this process. */
export class InProcessStep implements Step {
  readonly key: string;
  readonly #cancellation: Cancellation;

  constructor(key: string, cancellation: Cancellation) {
    this.key = key;
    this.#cancellation = cancellation;
  }

  /** It passed the intent gate before it began, or needs not pass it. */
  begin(): Promise<void> {
    return Promise.resolve();
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}

/** A step whose action passes the intent gate itself. */
export class AnnouncedStep extends InProcessStep {
  readonly #intend: () => Promise<void> | undefined;
  #began: Promise<void> | undefined;

  constructor(key: string, cancellation: Cancellation, intend: () => Promise<void> | undefined) {
    super(key, cancellation);
    this.#intend = intend;
  }

  /** Once: another attempt of the same call has begun already. */
  override begin(): Promise<void> {
    this.#began ??= Promise.resolve(this.#intend());
    return this.#began;
  }
}
