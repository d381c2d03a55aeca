import { type Step, type StepEffect, type Steps, TurnParked } from "../contract/steps.ts";

const STEP: Omit<Step, "key"> = { signal: new AbortController().signal };

/** Steps for whoever only wants to know: questions to the world are asked, and nothing else happens. */
export class UnrecordedSteps implements Steps {
  async run<T>(key: string, effect: StepEffect, action: (step: Step) => T | Promise<T>): Promise<T> {
    if (effect !== "none") throw new TypeError("Nothing runs here.");
    return action({ ...STEP, key });
  }

  async park(_kind: unknown, id: string): Promise<never> {
    throw new TurnParked(id);
  }

  withdraw(): void {}

  async spawn(): Promise<never> {
    throw new TypeError("Nothing is started here.");
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
