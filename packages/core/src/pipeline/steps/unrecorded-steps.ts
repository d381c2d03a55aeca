import { type Step, type StepEffect, type Steps, TurnParked } from "../../contract/store/steps.ts";

const STEP: Omit<Step, "key"> = { signal: new AbortController().signal, begin: async () => {} };

/** An answer of the outside world that was not recorded. */
export interface UnrecordedAnswer {
  readonly id: string;
  readonly value: unknown;
}

/** Steps for an evaluation without consequences: the outside world may be asked, and nothing else happens. */
export class UnrecordedSteps implements Steps {
  /** To be recorded if the turn begins after all. */
  readonly answers: UnrecordedAnswer[] = [];

  async run<T>(id: string, effect: StepEffect, action: (step: Step) => T | Promise<T>): Promise<T> {
    if (effect !== "none") throw new TypeError("An evaluation executes nothing.");
    const value = await action({ ...STEP, key: id });
    this.answers.push({ id, value });
    return value;
  }

  async park(_kind: unknown, id: string): Promise<never> {
    throw new TurnParked(id);
  }

  withdraw(): void {}

  async spawn(): Promise<never> {
    throw new TypeError("An evaluation starts nothing.");
  }

  async now(): Promise<number> {
    return 0;
  }

  uuid(): string {
    return "";
  }

  inbox(): readonly [] {
    return [];
  }
}
