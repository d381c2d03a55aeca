import type { GivenAnswer, PersonRequest } from "../contract/approval.ts";
import type { RegisteredTool, ToolCall } from "../contract/call.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { JournalEntry, SessionEvent } from "../contract/event.ts";
import type { Journal } from "../contract/journal.ts";
import type { Principal } from "../contract/principal.ts";
import type { RequirementSet } from "../contract/requirements.ts";
import type { ToolResult } from "../contract/result.ts";
import type { Rule } from "../contract/rule.ts";
import { Cancellation } from "../pipeline/cancellation.ts";
import { type Explained, explainCall } from "../pipeline/explain-call.ts";
import { runBatch, type TurnOutcome } from "../pipeline/run-batch.ts";
import { runCall } from "../pipeline/run-call.ts";
import { Parked } from "../pipeline/stage.ts";
import type { Turn } from "../pipeline/turn.ts";
import { readTurn } from "../pipeline/turn-record.ts";
import { UnrecordedSteps } from "../pipeline/unrecorded-steps.ts";
import { previewRules, type RulePreview } from "../policy/history/preview-rules.ts";
import { recordedCalls } from "../policy/history/recorded-calls.ts";
import type { ToolDiagnostic } from "../registry/tool-diagnostic.ts";
import { callsOfTurn, textOfCalls } from "./calls-of-turn.ts";
import { endSession } from "./end-session.ts";
import { type ParentContext, toParentContext } from "./parent-context.ts";
import { principalOf } from "./principal-of.ts";
import { receiveAnswer } from "./receive-answer.ts";
import { openRequests } from "./requests.ts";
import type { SessionParts } from "./session-parts.ts";
import type { TurnNames } from "./turn-names.ts";
import type { BegunTurn, TurnOptions } from "./turn-options.ts";

/** One agent's conversation, as far as tools are concerned. */
export class Session {
  readonly #parts: SessionParts;
  #cancellation = new Cancellation();
  /** Turns that run right now. */
  readonly #running = new Set<string>();
  readonly #names: TurnNames;
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts, names: TurnNames) {
    this.#parts = parts;
    this.#names = names;
  }

  get id(): string {
    return this.#parts.runtime.sessionId;
  }

  /** Why tools that somebody registered are not there. */
  get diagnostics(): readonly ToolDiagnostic[] {
    return this.#parts.registry.diagnostics;
  }

  /** The requests that wait for an answer, in this life of the session or an earlier one. */
  async waiting(): Promise<readonly PersonRequest[]> {
    return openRequests(this.#parts.journal);
  }

  /** The tools the next turn will see. */
  tools(): readonly RegisteredTool[] {
    return this.#parts.registry.list();
  }

  /** Runs one call, and waits for whoever must be asked. */
  async call(request: ToolCall, options?: TurnOptions): Promise<ToolResult> {
    const { id } = this.#names.take(options?.turnId);
    const within = this.#begin();
    let turn: Turn | undefined;
    try {
      if (this.#parts.registry.needsPreparation) await this.#parts.prepare();
      turn = this.#openTurn({ id, canPark: false, within, options });
      const result = await runCall(request, turn);
      if (result instanceof Parked) throw new TypeError("A call that may not park has parked.");
      return result;
    } finally {
      if (turn !== undefined) release(turn);
      this.#parts.runtime.open.end();
    }
  }

  /** Runs the calls of one model turn. If a person must be asked elsewhere, it ends parked; see `resume`. */
  batch(calls: readonly ToolCall[], options?: TurnOptions): Promise<TurnOutcome> {
    const { id, mayBeKnown } = this.#names.take(options?.turnId);
    return this.#alone(id, async (within) => {
      const record = mayBeKnown ? await readTurn(this.#parts.journal, id) : undefined;
      const isNew = record === undefined || (!record.isComplete && record.done.size === 0);
      return this.#runTurn(calls, { id, canPark: true, within, options, record: isNew ? undefined : record });
    });
  }

  /**
   * Starts a parked turn again, in this process or a later one. What was done is not done again.
   * @throws ToolkeepError `turn_unknown`, `turn_running`.
   */
  async resume(turnId: string, options?: TurnOptions): Promise<TurnOutcome> {
    return this.#alone(turnId, async (within) => {
      const calls = await callsOfTurn(turnId, this.#parts);
      const record = await readTurn(this.#parts.journal, turnId);
      if (record.isComplete)
        return this.#runTurn(calls, { id: turnId, canPark: true, within, options, record });
      const why = "its beginning is not in the journal any more, so nobody knows what it did";
      throw new ToolkeepError("turn_unknown", `The turn ${JSON.stringify(turnId)} cannot go on: ${why}.`);
    });
  }

  /**
   * Answers a request of a parked or waiting turn.
   * @throws ToolkeepError `answer_refused` when it was never asked, is answered already, comes too late, or its seal
   * does not hold; `session_closed`.
   */
  answer(requestId: string, answer: GivenAnswer): Promise<void> {
    return this.#counted(() => receiveAnswer(requestId, answer, this.#parts));
  }

  /** Why the call would be allowed, asked for or denied. Nobody is asked, nothing runs, nothing is written down. */
  explain(request: ToolCall, options?: Pick<TurnOptions, "principal">): Promise<Explained> {
    return this.#counted(async (within) => {
      await this.#parts.prepare();
      const turn = this.#openTurn({ id: "explain", canPark: false, within, options });
      try {
        return await explainCall(request, { ...turn, steps: new UnrecordedSteps() });
      } finally {
        release(turn);
      }
    });
  }

  /** What rules would have let pass among the calls of this session so far. For whoever is about to add them. */
  async preview(rules: readonly Rule[]): Promise<RulePreview> {
    const { journal, runtime, registry } = this.#parts;
    const calls = await recordedCalls(journal, { tools: registry.list() });
    return previewRules(rules, runtime.authorizer, calls);
  }

  /** What happened so far. */
  get journal(): Pick<Journal, "read"> {
    return this.#parts.journal;
  }

  /** Everything the agent may need: its manifest's requirements and its tools', together. */
  requirements(): RequirementSet {
    return this.#parts.runtime.sessionState.of(this.#parts.principal).requires;
  }

  /** What a subagent of that name inherits; acting for somebody else where a turn does. */
  childContext(agent: string, principal?: Partial<Principal>): ParentContext {
    const { parentContext } = this.#parts;
    return toParentContext({
      ...parentContext,
      agents: [...parentContext.agents, agent],
      principal: principalOf(principal, parentContext.principal),
    });
  }

  /** Forgets every `always` and every rule that an answer added, here and in the sessions that share them. Those of the project stay. */
  forgetApprovals(): void {
    this.#assertOpen();
    this.#parts.parentContext.memory.clear();
    this.#parts.runtime.authorizer.forget?.();
    this.#record("", { type: "approval-forget" });
  }

  /** A word from the person: calls that have not begun are skipped, as the strategy allows. */
  steer(text: string): void {
    this.#parts.messages.push({ text });
  }

  /** Follows what happens, from here on. */
  events(options?: { readonly buffer?: number }): AsyncIterableIterator<SessionEvent> {
    return this.#parts.stream.watch(options);
  }

  /** Stops everything that runs or waits. */
  cancel(): void {
    const current = this.#cancellation;
    this.#cancellation = new Cancellation();
    current.cancel();
  }

  /**
   * Stops everything, waits until every turn has recorded how it ended, puts away tools and what was kept for this
   * session alone, and ends the event streams. What a parked turn may still need stays where it is. Nothing is written
   * after it.
   */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#closing = promise;
      resolve(this.#close());
    }
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.cancel();
    await this.#parts.runtime.open.over();
    await endSession(this.#parts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A turn runs once at a time: what it does next depends on what it has done. */
  async #alone(id: string, run: (within: Cancellation) => Promise<TurnOutcome>): Promise<TurnOutcome> {
    if (this.#running.has(id)) throw new ToolkeepError("turn_running", `The turn ${id} runs already.`);
    return this.#counted(async (within) => {
      this.#running.add(id);
      try {
        return await run(within);
      } finally {
        this.#running.delete(id);
      }
    });
  }

  async #counted<Result>(run: (within: Cancellation) => Promise<Result>): Promise<Result> {
    const within = this.#begin();
    try {
      return await run(within);
    } finally {
      this.#parts.runtime.open.end();
    }
  }

  /** `close` waits from here on. Whoever cancels from here on means this turn too, however far it has come. */
  #begin(): Cancellation {
    this.#assertOpen();
    this.#parts.runtime.open.begin();
    return this.#cancellation;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined)
      throw new ToolkeepError("session_closed", `The session ${this.id} is closed.`);
  }

  async #runTurn(calls: readonly ToolCall[], begun: BegunTurn): Promise<TurnOutcome> {
    const { id, options, record } = begun;
    await this.#parts.prepare();
    const turn = this.#openTurn(begun);
    const { pending } = this.#parts.runtime.ports;
    try {
      if (record === undefined)
        this.#record(id, {
          type: "turn-start",
          calls: calls.map(({ id: call, name }) => ({ id: call, name })),
        });
      for (const { arguments: args, refusedAt } of record?.done.values() ?? []) {
        if (refusedAt === undefined) turn.budget?.charge(args.text);
      }
      const kept = `${this.id}/${id}`;
      // A turn that goes on was kept before.
      const isKept = options?.keepArguments !== "parked" || record !== undefined;
      if (isKept) await pending.put(kept, textOfCalls(calls));
      const outcome = await runBatch(calls, turn, this.#parts.strategy);
      if (outcome.status === "done") {
        if (isKept) await pending.delete(kept);
        this.#record(id, { type: "turn-end" });
        return outcome;
      }
      if (!isKept) await pending.put(kept, textOfCalls(calls));
      this.#record(id, { type: "turn-park", waiting: outcome.waitingFor });
      await this.#parts.runtime.recorder.flush();
      return { ...outcome, waitingFor: outcome.waitingFor.map((request) => `${id}/${request}`) };
    } finally {
      release(turn);
    }
  }

  #openTurn({ id, canPark, within, options, record }: BegunTurn): Turn {
    const { registry, runtime, newBudget, principal } = this.#parts;
    const cancellation = options?.signal === undefined ? within : within.child(options.signal);
    return {
      id,
      runtime,
      tools: registry.view(),
      steps: this.#parts.newSteps(id, cancellation, record),
      cancellation,
      principal: options?.principal === undefined ? principal : principalOf(options.principal, principal),
      budget: options?.budget ?? newBudget?.(),
      timeoutMs: options?.timeoutMs,
      canPark,
      inside: undefined,
      record,
    };
  }

  #record(turn: string, entry: JournalEntry): void {
    this.#parts.runtime.recorder.write(turn, entry);
  }
}

function release({ tools, cancellation }: Turn): void {
  tools.release();
  cancellation.release();
}
