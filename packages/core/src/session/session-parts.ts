import type { Budget } from "../contract/budget.ts";
import type { Journal } from "../contract/journal.ts";
import type { Principal } from "../contract/principal.ts";
import type { Message, Steps } from "../contract/steps.ts";
import type { EventStream } from "../journal/event-stream.ts";
import type { Answers } from "../pipeline/answers.ts";
import type { Cancellation } from "../pipeline/cancellation.ts";
import type { Strategy } from "../pipeline/run-batch.ts";
import type { Runtime } from "../pipeline/turn.ts";
import type { TurnRecord } from "../pipeline/turn-record.ts";
import type { Registry } from "../registry/registry.ts";
import type { ParentContextParts } from "./parent-context.ts";

/** What a session is put together from. */
export interface SessionParts {
  readonly runtime: Runtime;
  readonly registry: Registry;
  /** Prepares the tools that are new. */
  prepare(): Promise<void>;
  readonly journal: Journal;
  readonly stream: EventStream;
  readonly answers: Answers;
  readonly messages: Message[];
  readonly strategy: Strategy;
  readonly principal: Principal;
  readonly parentContext: ParentContextParts;
  /** What was agreed with others when the session opened, to be undone when it closes. */
  readonly release: () => void;
  /** Puts away the tools that are this session's alone. */
  readonly putAway: () => Promise<void>;
  readonly approvalSecret: string | undefined;
  readonly newBudget: (() => Budget) | undefined;
  readonly newSteps: NewSteps;
}

/** Makes the steps of one turn. `record` is what the turn did in an earlier life. */
export type NewSteps = (turn: string, cancellation: Cancellation, record: TurnRecord | undefined) => Steps;
