/**
 * An agent that work can be given to: in code, or a Markdown file with front matter. It never has more than the agent
 * that gives it the work.
 */
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
