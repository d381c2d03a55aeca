/** Work handed to another agent. */
export interface TaskInput {
  readonly agent: string;
  readonly prompt: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What came of it: the child's final text, or the session that goes on without us. */
export type TaskOutcome =
  | { readonly status: "done"; readonly childId: string; readonly text: string }
  | { readonly status: "started"; readonly childId: string };

/** Port: starts subagents. A child never gets more than its parent has. */
export interface TaskRunner {
  run(input: TaskInput, options: TaskOptions): Promise<TaskOutcome>;
}

/** Options of a task for a subagent. */
export interface TaskOptions {
  /** The same key never starts a second child. */
  readonly key: string;
  readonly detached: boolean;
  readonly signal: AbortSignal;
  /** Shows whoever watches the parent's call what the child is doing. Of no effect once that call is over. */
  update(partial: unknown): void;
}
