import type { Principal } from "../people/principal.ts";

/** An agent in code, or a Markdown file with front matter. It never has more than the agent that gives it work. */
export interface AgentDefinition<Model = string> {
  /** Letters, digits, `_` and `-`. Rules can name it: `task.reviewer`. */
  readonly name: string;
  /** When to give it work, in one line: what the model reads that decides it. */
  readonly description: string;
  /** Its system prompt. */
  readonly instructions: string;
  /** The names of its tools. It gets those that its parent has too. Default: all of its parent. */
  readonly tools?: readonly string[];
  /** `provider/model`. Default: the model of its parent. */
  readonly model?: Model;
  /** `primary`: it can be a root agent only; `subagent`: it can be given work only. Default: `all`. */
  readonly mode?: "primary" | "subagent" | "all";
}

/** What the name of an agent looks like. */
export const AGENT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Port: what an agent can learn on demand. */
export interface Skills {
  /** One line for each skill, for the prompt. */
  index(): readonly SkillEntry[];
  /** The whole text of a skill; `undefined` when there is none of that name. */
  load(name: string): Promise<string | undefined>;
}

/** A skill in the list that a model sees. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
}

/** How a model uses a tool well. More than its description says, and shown only where the tool can be used. */
export interface ToolGuide {
  /** The name of the tool. */
  readonly tool: string;
  /** When it is the right tool. */
  readonly when?: readonly string[];
  /** When another tool, or none, is better. */
  readonly whenNot?: readonly string[];
  readonly examples?: readonly string[];
  readonly tips?: readonly string[];
}

/** A workflow with several tools: shown only where a tool for each of its steps can be used. */
export interface Kit {
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it is for, in one line. */
  readonly description: string;
  readonly steps: readonly KitStep[];
}

/** A step of a kit. */
export interface KitStep {
  /** What is done, in one line. */
  readonly action: string;
  /** The tools that can do it, the best first. Of those, the first one that the session has is named. */
  readonly tools: readonly string[];
  readonly note?: string;
}

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
