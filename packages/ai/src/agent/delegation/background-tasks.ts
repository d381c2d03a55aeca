import type { Principal, Session, ToolResult } from "@toolkeep/core";
import { errorText, PRINCIPAL_EVENTS, RecordedPrincipals } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { TaskOutcome, WaitingTask } from "@toolkeep/core/ports";
import { markText } from "../record/shown-result.ts";

/** A task that its parent does not wait for. */
export interface BackgroundTask {
  readonly childId: string;
  readonly agent: string;
  readonly prompt: string;
  /** Default: that of the session. */
  readonly principal: Partial<Principal> | undefined;
}

interface BackgroundParts {
  start(task: BackgroundTask): Promise<TaskOutcome | WaitingTask>;
  /** Gives the parent a message. */
  report(text: string): void;
}

/** The tasks in the background of one agent. Each reports to it once, also after a crash. */
export class BackgroundTasks {
  readonly #parts: BackgroundParts;
  readonly #open = new Map<string, Promise<void>>();
  readonly #parked = new Set<string>();
  #woken = Promise.withResolvers<void>();

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Whether a task waits for a person, or left this process. */
  get hasParked(): boolean {
    return this.#parked.size > 0;
  }

  add(task: BackgroundTask): void {
    const { childId } = task;
    if (this.#open.has(childId)) return;
    this.#parked.delete(childId);
    const working = this.#parts
      .start(task)
      .then(
        (outcome) => this.#ended(task, outcome),
        (error: unknown) => this.#parts.report(reportOf(task, "failed", errorText(error))),
      )
      .finally(() => this.#open.delete(childId));
    this.#open.set(childId, working);
  }

  /** Waits until one is over; `false` if none is at work. */
  async next(): Promise<boolean> {
    if (this.#open.size === 0) return false;
    await Promise.race([...this.#open.values(), this.#woken.promise]);
    return true;
  }

  wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers<void>();
  }

  async over(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  #ended(task: BackgroundTask, outcome: TaskOutcome | WaitingTask): void {
    if (outcome.status === "waiting") this.#parked.add(task.childId);
    else if (outcome.status === "done") this.#parts.report(reportOf(task, "done", outcome.text));
  }
}

const REPORT = /^Background task (\S+) /;

/** What a subagent says is data, as it is in the result of a task. */
function reportOf({ childId, agent }: BackgroundTask, state: "done" | "failed", text: string): string {
  const answer = markText("task", text === "" ? "(the subagent returned no text)" : text);
  return `Background task ${childId} of the agent ${agent} is ${state}.\n${answer}`;
}

const TASK_EVENTS = [...PRINCIPAL_EVENTS, "call-start", "call-end", "message-receive"] as const;

/** The tasks that the journal of a parent knows and that have not reported. */
export class UnreportedTasks {
  readonly #asked = new Map<string, Record<string, unknown>>();
  readonly #started = new Map<string, BackgroundTask>();
  readonly #principals = new RecordedPrincipals();
  #nextSeq = 0;

  /** Reads what is new in the journal. */
  async read({ journal }: Pick<Session, "journal">): Promise<readonly BackgroundTask[]> {
    for await (const event of journal.read({ types: TASK_EVENTS, fromSeq: this.#nextSeq })) {
      if (event.seq < this.#nextSeq) continue;
      this.#nextSeq = event.seq + 1;
      this.#add(event);
    }
    return [...this.#started.values()];
  }

  #add(event: JournalEvent): void {
    this.#principals.add(event);
    if (event.type === "call-start" && event.tool === "task")
      this.#asked.set(
        `${event.turn}/${event.callId}`,
        (event.arguments.value ?? {}) as Record<string, unknown>,
      );
    if (event.type === "call-end" && event.tool === "task") {
      const task = startedBy(
        event.result.value as ToolResult | null,
        this.#asked.get(`${event.turn}/${event.callId}`),
        this.#principals.of(event.turn),
      );
      if (task !== undefined) this.#started.set(task.childId, task);
    }
    if (event.type === "message-receive") this.#started.delete(REPORT.exec(event.text)?.[1] ?? "");
  }
}

function startedBy(
  result: ToolResult | null,
  { prompt, subagent_type: agent = "general", background }: Record<string, unknown> = {},
  principal?: Principal,
): BackgroundTask | undefined {
  if (background !== true || result?.ok !== true || result.childId === undefined) return undefined;
  return { childId: result.childId, agent: String(agent), prompt: String(prompt), principal };
}
