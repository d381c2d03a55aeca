import type { TaskInput, TaskOptions, TaskOutcome, WaitingTask } from "../io/agent.ts";

/**
 * What running an action twice would mean. `none`: a question to the world; the answer is recorded
 * by the steps. `idempotent`: a call that may be run again. `once`: a call that may not; it passes
 * the intent gate. `announced`: as `once`, but it passes the gate itself, with `step.begin`; until then it may be run
 * again. The results of calls are recorded by the calls themselves.
 */
export type StepEffect = "none" | "idempotent" | "once" | "announced";

/** One durable step of a turn. */
export interface Step {
  /** The same for every run of this step. */
  readonly key: string;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** For an `announced` action: from here on it must not run twice. That is durable when the promise resolves. */
  begin(): Promise<void>;
}

/** Finds out whether an action that was cut off happened; `undefined` if that cannot be told. */
export type FindOut = () => Promise<boolean | undefined>;

/** What a waiting turn waits for. */
export type ParkKind = "approval" | "question";

/** A message from the user while the agent works. */
export interface Message {
  readonly text: string;
}

/** Port: what makes a turn durable. Clock, randomness, people and tools are reached through it alone. */
export interface Steps {
  /** Set when nothing may be executed: what the record says of a step. */
  replayed?(id: string): unknown;
  /** Set when nothing may be executed: the id that the only call of the turn had. */
  onlyCall?(): string | undefined;
  /**
   * Runs the action, or answers with what it gave before. `findOut` is asked about an action that may have run and may
   * not run twice. `true`: the action is called without another intent, and only records what happened; `false`: it
   * runs as if for the first time.
   * @throws OutcomeUnknown for an action that may have run and of which nothing can be found out.
   */
  run<T>(
    id: string,
    effect: StepEffect,
    action: (step: Step) => T | Promise<T>,
    findOut?: FindOut,
  ): Promise<T>;
  /**
   * Waits for a person; or ends the turn by throwing `TurnParked`, until the answer starts it again.
   * With `mustWait` it never ends the turn: what asks cannot be run a second time.
   */
  park<Answer>(kind: ParkKind, id: string, request: unknown, mustWait?: boolean): Promise<Answer>;
  /** The answer is not needed any more: the approver's signal aborts. */
  withdraw(id: string): void;
  spawn(input: TaskInput, options: TaskOptions): Promise<TaskOutcome | WaitingTask>;
  now(): Promise<number>;
  uuid(): string;
  /** The messages of the user since the last call. */
  inbox(): Promise<readonly Message[]> | readonly Message[];
}

/** Thrown by `park` to end the turn; not a failure. */
export class TurnParked extends Error {
  readonly waitingFor: string;

  constructor(waitingFor: string) {
    super(`The turn waits for ${waitingFor}.`);
    this.name = "TurnParked";
    this.waitingFor = waitingFor;
  }
}

/** Thrown by `run` when an action that may not run twice began in an earlier process and how it ended is not known. */
export class OutcomeUnknown extends Error {
  constructor(id: string) {
    super(`Step ${id} began before and was interrupted.`);
    this.name = "OutcomeUnknown";
  }
}
