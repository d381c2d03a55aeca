import type { TaskOutcome } from "../contract/io/agent.ts";
import {
  type Message,
  OutcomeUnknown,
  type Step,
  type StepEffect,
  type Steps,
  TurnParked,
} from "../contract/store/steps.ts";
import type { TurnRecord } from "../pipeline/record/turn-record.ts";

/** Thrown where a replay would have to do something that the record does not know. */
export class Divergence extends Error {
  readonly id: string;

  constructor(id: string, diagnostic: string) {
    super(`${id}: ${diagnostic}`);
    this.name = "Divergence";
    this.id = id;
  }
}

/** Steps that execute nothing: every answer comes from the record. */
export class RecordedSteps implements Steps {
  readonly #record: TurnRecord;

  constructor(record: TurnRecord) {
    this.#record = record;
  }

  async run<T>(id: string, effect: StepEffect, _action: (step: Step) => T | Promise<T>): Promise<T> {
    const known = effect === "none" ? this.#record.steps.get(id)?.value : this.#executed(id);
    if (known === undefined) throw new Divergence(id, "the record does not know what came of it");
    return known as T;
  }

  async park<Answer>(_kind: "approval" | "question", id: string): Promise<Answer> {
    const known = this.#record.answers.get(id);
    if (known === undefined) throw new TurnParked(id);
    return known as Answer;
  }

  /** Calls that its tool made have a `/` in their ids. */
  onlyCall(): string | undefined {
    return this.#record.done.keys().find((one) => !one.includes("/"));
  }

  replayed(id: string): unknown {
    return id.endsWith("/cut") ? this.#cut(id.slice(0, -"/cut".length)) : this.#record.steps.get(id)?.value;
  }

  withdraw(): void {}

  spawn(): Promise<TaskOutcome> {
    throw new Divergence("spawn", "a replay starts no subagents");
  }

  now(): Promise<number> {
    return this.run("now/1", "none", () => 0);
  }

  uuid(): string {
    return crypto.randomUUID();
  }

  inbox(): readonly Message[] {
    return [];
  }

  #executed(id: string): unknown {
    const done = this.#record.done.get(id);
    if (done?.result.failure?.code === "outcome_unknown") throw new OutcomeUnknown(id);
    return done?.refusedAt === undefined ? done?.result : undefined;
  }

  /** Why the person cut the call off before it began: like their answers, that is part of the record. */
  #cut(callId: string): unknown {
    const done = this.#record.done.get(callId);
    const why = done?.refusedAt === undefined ? undefined : done.result.failure;
    const isSkipped = why?.code === "skipped" && done?.refusedAt === "execute";
    return why?.code === "cancelled" || isSkipped ? why : undefined;
  }
}
