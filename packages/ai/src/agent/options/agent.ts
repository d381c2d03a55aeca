import type { Session, Tool } from "@toolkeep/core";
import type { AgentEvent } from "./agent-event.ts";

/**
 * A model at work with governed tools. `createAgent` makes one.
 *
 * @example
 * for await (const event of agent.run("Fix the failing test.")) render(event);
 */
export type Agent<Tools extends readonly Tool[] = readonly Tool[]> = AgentControls & {
  /** Its tools, its journal, and the requests that wait. */
  readonly session: Session<Tools>;
  /**
   * Works on a prompt. It begins with the first event that is asked for, no event is lost, and the last one is `end`.
   * Who stops reading cancels the run. The next `run` continues the conversation.
   * @throws ToolkeepError `invalid_option` while another run is at work or unfinished.
   */
  run(prompt: string): AsyncIterableIterator<AgentEvent<Tools>>;
  /**
   * Continues the unfinished run from the store alone: after an answer, `leave`, a failure of the model, or a crash. No
   * reply that was kept is asked for again. The end of a run that is over is given again.
   * @throws ToolkeepError `invalid_option` if there was no run.
   */
  resume(): AsyncIterableIterator<AgentEvent<Tools>>;
};

interface AgentControls extends AsyncDisposable {
  /** The id of its session: with the same store, another process continues the agent under it. */
  readonly id: string;
  /**
   * A message of the user while the agent works. Calls that have not begun are skipped, as the strategy allows. It is kept
   * with the run at once: a later process that continues the run gives it to the model.
   */
  steer(text: string): void;
  /**
   * Stops the run: the model, every call, and the commands that they started. It ends with `cancelled`. Another process
   * does the same with `store.cancel(id, "run-1")`: the runs of an agent are numbered.
   */
  cancel(): void;
  /**
   * Leaves this process: waits for the step that runs, or leaves the person who is asked with the request open in the
   * store. `createAgent` with the same `id` and `store` continues it, anywhere.
   */
  leave(): Promise<void>;
  /** Cancels what runs and closes the session. What waits for an answer stays, and can be resumed. */
  close(): Promise<void>;
}
