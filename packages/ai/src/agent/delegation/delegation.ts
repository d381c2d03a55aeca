import { type PersonRequest, type Session, ToolFailure, ToolkeepError } from "@toolkeep/core";
import { closestName, sessionRecord } from "@toolkeep/core/internal";
import type {
  AgentDefinition as NamedAgent,
  TaskInput,
  TaskOptions,
  TaskOutcome,
  TaskRunner,
  WaitingTask,
} from "@toolkeep/core/ports";
import type { LanguageModel } from "ai";
import type { AgentBudget } from "../options/agent-budget.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import type { RecordedRun } from "../record/recorded-runs.ts";
import { agentOf } from "./agent-tool.ts";
import { type BackgroundTask, BackgroundTasks, UnreportedTasks } from "./background-tasks.ts";
import { type ChildProfile, profileOf } from "./child-profile.ts";
import { childrenOf, usedByChildren } from "./recorded-use.ts";
import { type ChildWork, type OpenAgent, runChild } from "./run-child.ts";

const MAX_DEPTH = 5;

/** What a parent agent gives its subagents. */
export interface DelegationParts {
  /** The options that the parent was created with. */
  readonly options: AgentOptions;
  readonly models: readonly LanguageModel[];
  /** Those that `task` can name. */
  readonly agents: ReadonlyMap<string, NamedAgent<unknown>>;
  /** Aborts when the parent leaves this process: its children leave too. */
  readonly leaving: AbortSignal;
  readonly open: OpenAgent;
}

/** The parent, once its session is there. */
export interface ParentAgent {
  readonly session: Session;
  /** What the run of the parent has left. */
  budget(): AgentBudget | undefined;
  /** Gives the parent a message. */
  report(text: string): void;
}

/**
 * Runs subagents: each is an agent with a session of its own, within what its parent has. The same key is the same child,
 * in this process and in later ones.
 */
export class Delegation implements TaskRunner {
  readonly #parts: DelegationParts;
  readonly #running = new Map<string, Promise<TaskOutcome | WaitingTask>>();
  readonly #waiting = new Map<string, readonly PersonRequest[]>();
  readonly #background: BackgroundTasks;
  readonly #unreported = new UnreportedTasks();
  #cancel = new AbortController();
  #parent: ParentAgent | undefined;

  constructor(parts: DelegationParts) {
    this.#parts = parts;
    this.#background = new BackgroundTasks({
      start: (task) => this.#start(task.childId, { ...task, signal: this.#cancel.signal, update: () => {} }),
      report: (text) => this.#parent?.report(text),
    });
  }

  /** The agents that `task` can name, for the prompt; empty if there are none, or if this one is as deep as it may be. */
  get index(): string {
    const { agents, options } = this.#parts;
    if (agents.size === 0 || (options.parent?.agents.length ?? 0) >= MAX_DEPTH) return "";
    const lines = [...agents.values()].map(({ name, description }) => `- ${name}: ${description}`);
    return `Agents that you can give work to, as \`subagent_type\` of the tool \`task\`:\n${lines.join("\n")}`;
  }

  /** Called once, before anything runs. */
  attach(parent: ParentAgent): void {
    this.#parent = parent;
  }

  async run({ agent, prompt }: TaskInput, options: TaskOptions): Promise<TaskOutcome | WaitingTask> {
    const { session } = this.#attached();
    this.#assertDepth(agent);
    const childId = await childIdOf(session.id, options.key);
    const { principal, update } = options;
    // Before it is started: an unknown agent is a failure of this call.
    await this.#profile(agent);
    if (options.detached) {
      this.#background.add({ childId, agent, prompt, principal });
      return { status: "started", childId };
    }
    const signal = AbortSignal.any([options.signal, this.#cancel.signal]);
    return this.#start(childId, { childId, agent, prompt, principal, signal, update });
  }

  /** The ids of children that wait for nobody: they left the process. */
  get left(): readonly string[] {
    return [...this.#waiting].flatMap(([childId, requests]) => (requests.length === 0 ? [childId] : []));
  }

  /** The requests of children that wait for a person. */
  requests(): readonly PersonRequest[] {
    return [...this.#waiting.values()].flat();
  }

  /**
   * Starts the background tasks again that an earlier process did not finish, or that waited for a person. They count for
   * themselves, as the children do whose calls run again; what the others used is counted here.
   */
  async restore(run: RecordedRun, budget: AgentBudget): Promise<void> {
    const { session } = this.#attached();
    const tasks = await this.#unreported.read(session);
    const over = childrenOf(run).difference(new Set(tasks.map(({ childId }) => childId)));
    budget.add(await usedByChildren(over, sessionRecord(session)));
    for (const task of tasks) this.#background.add(task);
  }

  /** Waits until a background task is over, where one is at work. */
  async nextReport(): Promise<boolean> {
    return this.#background.next();
  }

  /** The user said something: the run that waits for a report looks again. */
  wake(): void {
    this.#background.wake();
  }

  /** Why the run is not over yet, although the model has nothing to do. */
  get unfinished(): "waiting" | "left" | undefined {
    if (!this.#background.hasParked) return undefined;
    return this.#waiting.size > 0 ? "waiting" : "left";
  }

  /** Cancels every child. */
  cancel(): void {
    const current = this.#cancel;
    this.#cancel = new AbortController();
    current.abort(new DOMException("The agent was cancelled.", "AbortError"));
    this.#background.wake();
  }

  /** Resolves when no child is at work in this process. */
  async over(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
    await this.#background.over();
  }

  #attached(): ParentAgent {
    if (this.#parent === undefined) throw new TypeError("A subagent was started before its parent.");
    return this.#parent;
  }

  /** One child for one id, however often it is started. */
  #start(childId: string, work: ChildTask): Promise<TaskOutcome | WaitingTask> {
    const known = this.#running.get(childId);
    if (known !== undefined) return known;
    const running = this.#work(work).finally(() => this.#running.delete(childId));
    this.#running.set(childId, running);
    return running;
  }

  async #work({ agent, ...task }: ChildTask): Promise<TaskOutcome | WaitingTask> {
    const { session, budget } = this.#attached();
    const { options, leaving, open } = this.#parts;
    this.#waiting.delete(task.childId);
    try {
      const profile = await this.#profile(agent);
      const work: ChildWork = { ...task, profile, session, options, inherited: { leaving, budget } };
      const { outcome, requests } = await runChild(work, open);
      if (outcome.status === "waiting") this.#waiting.set(task.childId, requests);
      return outcome;
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      throw new ToolFailure("unavailable", `The subagent ${shownName(agent)} cannot work: ${error.message}`);
    }
  }

  /** The depth comes from the parent context of the session, not from what an agent says. */
  #assertDepth(agent: string): void {
    const depth = this.#parts.options.parent?.agents.length ?? 0;
    if (depth < (agent.startsWith(agentOf("")) ? 1 : MAX_DEPTH)) return;
    const message = `Subagents can be nested ${depth} deep, and this one is at that depth.`;
    throw new ToolFailure("unavailable", message, { hint: "Do the work yourself." });
  }

  async #profile(agent: string): Promise<ChildProfile> {
    const { session } = this.#attached();
    const { tools } = sessionRecord(session);
    const parent = { tools, childContext: session.childContext.bind(session) };
    const profile = await profileOf(agent, { ...this.#parts, session: parent });
    if (profile !== undefined) return profile;
    const names = [...this.#parts.agents.keys()];
    const near = closestName(agent, names);
    throw new ToolFailure("not_found", `There is no agent ${JSON.stringify(agent)}.`, {
      hint:
        near === undefined ? `Give the work to one of these: ${names.join(", ")}.` : `Did you mean ${near}?`,
    });
  }
}

/** A task of a child in this process. */
interface ChildTask extends Pick<TaskOptions, "signal" | "update">, BackgroundTask {}
function shownName(agent: string): string {
  return agent.replace(agentOf(""), "");
}

const LONGEST = 256;

/** The id of a child's session: the same for the same key, so that no second child is started for it. */
async function childIdOf(parentId: string, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const short = `${parentId}.${hex.slice(0, 16)}`;
  return short.length <= LONGEST ? short : `subagent-${hex}`;
}
