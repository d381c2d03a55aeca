import type { Principal } from "../people/principal.ts";

/** Work for another agent. */
export interface TaskInput {
  readonly agent: string;
  readonly prompt: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The outcome: the child's final text, or the session that continues in the background. */
export type TaskOutcome =
  | { readonly status: "done"; readonly childId: string; readonly text: string }
  | { readonly status: "started"; readonly childId: string };

/** The child waits for a person, or left the process. The call waits with it, and runs again under the same key. */
export interface WaitingTask {
  readonly status: "waiting";
  readonly childId: string;
}

/** Port: starts subagents. A child never gets more than its parent has. */
export interface TaskRunner {
  run(input: TaskInput, options: TaskOptions): Promise<TaskOutcome | WaitingTask>;
}

/** Options of a task for a subagent. */
export interface TaskOptions {
  /** The same key never starts a second child. */
  readonly key: string;
  readonly detached: boolean;
  /** On whose behalf the call runs that starts the child. The child runs on behalf of the same. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Shows the progress of the child in the events of the parent's call. Without effect once that call is over. */
  update(partial: unknown): void;
}
