import type { GivenAnswer, PersonRequest } from "../contract/approval/approval.ts";
import type { RequirementSet } from "../contract/call/effect.ts";
import type { CallResult, ToolResult } from "../contract/call/result.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { Arguments } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { JournalEntry, SessionEvent } from "../contract/store/event.ts";
import type { AnswerOptions, Journal, RequestRef } from "../contract/store/store.ts";
import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";
import type { Diagnostic } from "../contract/values/diagnostic.ts";
import { invalidOption, ToolkeepError } from "../contract/values/error.ts";
import { isEmpty, readTurn } from "../pipeline/record/turn-record.ts";
import { runCall } from "../pipeline/run-call.ts";
import type { Explained } from "../pipeline/stages/evaluate-call.ts";
import { Parked } from "../pipeline/turn/stage.ts";
import type { Turn } from "../pipeline/turn/turn.ts";
import { previewRules, type RulePreview } from "../policy/history/preview-rules.ts";
import { recordedCalls } from "../policy/history/recorded-calls.ts";
import { overriddenRules } from "../policy/rules/overridden-rules.ts";
import { unmatchedRules } from "../policy/rules/unmatched-rules.ts";
import { openRequests, receiveAnswer } from "./answers.ts";
import { endSession, leaveSession } from "./end-session.ts";
import type { ParentContext } from "./options.ts";
import { toParentContext } from "./parent-context.ts";
import { principalOf } from "./principals.ts";
import {
  assertSamePrincipal,
  explainTurn,
  openTurn,
  proposeCall,
  recordStart,
  releaseTurn,
  runTurn,
  type SessionParts,
  turnWithLeftAnswers,
} from "./run-turn.ts";
import { SessionLife } from "./session-life.ts";
import { keepRecord } from "./session-record.ts";
import { callsOfTurn, type Proposal, type TurnNames, type TurnOptions, type TurnOutcome } from "./turn.ts";
import type { SessionCalls } from "./typed-call.ts";

/**
 * The tool calls of one agent: every call is validated, authorized, recorded and bounded. `createSession` makes one.
 *
 * @example
 * await using session = await createSession({ tools, policy, approver });
 * const result = await session.call("weather", { city: "Oslo" });
 * const turn = await session.run(calls); // the calls of one model reply
 */
export type Session<Tools extends readonly Tool[] = readonly Tool[]> = BaseSession &
  SessionCalls<Tools> & {
    /** Exists in types alone. */
    readonly [toolsOfSession]?: Tools;
  };

declare const toolsOfSession: unique symbol;

/** A session without the types of its tools. */
export class BaseSession implements AsyncDisposable {
  readonly #parts: SessionParts;
  readonly #life: SessionLife;
  readonly #names: TurnNames;
  readonly #proposedFor = new ProposedFor();

  constructor(parts: SessionParts, names: TurnNames) {
    this.#parts = parts;
    this.#names = names;
    const { sessionId, open } = parts.runtime;
    this.#life = new SessionLife({
      sessionId,
      open,
      takeCancelled: (turn) => parts.link.takeCancelled(turn),
    });
    parts.journal.lost.addEventListener("abort", () => this.#life.lose(), { once: true });
    parts.link.listen({
      answer: (requestId, answer, options) => this.answer(requestId, answer, options),
      cancel: (turn) => this.#life.cancelTurn(turn),
    });
    keepRecord(this, parts, this.#life);
  }

  get id(): string {
    return this.#parts.runtime.sessionId;
  }

  /** On whose behalf it runs, unless a turn names another. */
  get principal(): Principal {
    return this.#parts.principal;
  }

  /** Why registered tools are not available, rules that match none of those that are, and rules that never decide. */
  get diagnostics(): readonly Diagnostic[] {
    const { registry, rules } = this.#parts;
    const own = rules();
    return [...registry.diagnostics, ...unmatchedRules(own, registry.list()), ...overriddenRules(own)];
  }

  /** The requests that wait for an answer, also those of an earlier process. */
  async waiting(): Promise<readonly PersonRequest[]> {
    await this.#parts.link.takeAnswers();
    return openRequests(this.#parts.journal);
  }

  /** The tools that the next turn can call, without those that models get no definition of. */
  tools(): readonly RegisteredTool[] {
    return this.#parts.registry.list().filter(({ tool }) => tool.described !== false);
  }

  /**
   * Runs the call of a model, which has an id, and waits for its approval where one is needed. It never ends waiting:
   * with an approver that answers `later` it waits for `answer`. Use `run` for a turn that can be resumed.
   */
  call(call: ToolCall, options?: TurnOptions): Promise<CallResult>;
  call(first: string | ToolCall, second?: unknown, third?: TurnOptions): Promise<CallResult> {
    const isByName = typeof first === "string";
    const call = isByName ? { name: first, arguments: second as Arguments } : first;
    return this.#call(call, isByName ? third : (second as TurnOptions | undefined)) as Promise<CallResult>;
  }

  /** A call without an id has a random one; when it is replayed, the one that it had. */
  async #call(asked: Omit<ToolCall, "id"> & Partial<ToolCall>, options?: TurnOptions): Promise<ToolResult> {
    const { id, mayBeKnown } = this.#names.take(options?.id);
    const within = this.#life.begin();
    let turn: Turn | undefined;
    try {
      if (this.#parts.registry.needsPreparation) await this.#parts.prepare();
      turn = openTurn({ id, canPark: false, within, options }, this.#parts);
      if (mayBeKnown) {
        // An answer left for an earlier call of this name must not answer this one.
        await turnWithLeftAnswers(id, this.#parts);
        await assertSamePrincipal(turn, this.#parts);
      }
      const request = {
        ...asked,
        id: asked.id ?? turn.steps.onlyCall?.() ?? crypto.randomUUID(),
      };
      // Calls of the session's own principal do without.
      const isOwn = turn.principal === this.#parts.principal;
      if (!isOwn) recordStart([request], turn, this.#parts);
      const result = await runCall(request, turn);
      if (result instanceof Parked) throw new TypeError("A call that may not park has parked.");
      if (!isOwn) this.#record(id, { type: "turn-end" });
      return result;
    } finally {
      if (turn !== undefined) releaseTurn(turn);
      this.#parts.runtime.open.end();
    }
  }

  /**
   * Runs the calls of one model reply, or the call of a proposal. If an approver answers later, the outcome is
   * `waiting` and has the requests; see `resume`.
   */
  run(calls: readonly ToolCall[] | Proposal, options?: TurnOptions): Promise<TurnOutcome> {
    if ("call" in calls) return this.#runProposal(calls, options);
    const { id, mayBeKnown } = this.#names.take(options?.id);
    return this.#life.alone(id, async (within) => {
      const record = mayBeKnown ? await turnWithLeftAnswers(id, this.#parts) : undefined;
      return runTurn(calls, { id, canPark: true, within, options, record }, this.#parts);
    });
  }

  /**
   * Evaluates a call without executing it: the decision, and a proposal for `run`. Where approval is needed, the request
   * is recorded and the approver is not asked: show `proposal.request` and answer it. The call is evaluated again when it
   * runs, because files and policy may have changed.
   * @throws ToolkeepError `invalid_option` for a turn id that was used before.
   */
  propose(call: ToolCall, options?: TurnOptions): Promise<Proposal> {
    const { id, mayBeKnown } = this.#names.take(options?.id);
    return this.#life.alone(id, async (within) => {
      if (mayBeKnown && !isEmpty(await readTurn(this.#parts.journal, id)))
        throw invalidOption(`The turn id ${JSON.stringify(id)} was used before.`);
      const begun = { id, canPark: true, isDeferred: true, within, options };
      const proposal = await proposeCall(call, begun, this.#parts);
      if (proposal.status === "allowed") this.#proposedFor.add(id, options?.principal);
      return proposal;
    });
  }

  /**
   * Continues a turn that waits or was interrupted, in this process or a later one, on behalf of the principal that it
   * was begun for. Calls that are settled do not run again.
   * @throws ToolkeepError `turn_unknown`, `turn_running`.
   */
  async resume(turnId: string, options?: Omit<TurnOptions, "id" | "principal">): Promise<TurnOutcome> {
    return this.#life.alone(turnId, async (within) => {
      await this.#parts.link.takeAnswers();
      const { runtime, journal } = this.#parts;
      const { sessionId, recorder, ports } = runtime;
      const calls = await callsOfTurn(turnId, { sessionId, recorder, journal, pending: ports.pending });
      const record = await readTurn(journal, turnId);
      if (record.isComplete)
        return runTurn(calls, { id: turnId, canPark: true, within, options, record }, this.#parts);
      const why = "its beginning is not in the journal any more, so what it did is not known";
      throw new ToolkeepError("turn_unknown", `The turn ${JSON.stringify(turnId)} cannot continue: ${why}.`);
    });
  }

  /**
   * Answers a request of a turn that waits. An answer that is given again with the same `key` changes nothing.
   * @throws ToolkeepError `answer_refused` when there is no such request, it is answered already, its time is over, or
   * its signature is not valid; `session_closed`.
   */
  answer(
    request: string | Pick<RequestRef, "id">,
    answer: GivenAnswer,
    { key }: AnswerOptions = {},
  ): Promise<void> {
    const requestId = typeof request === "string" ? request : request.id;
    return this.#life.counted(() => receiveAnswer({ requestId, answer, key }, this.#parts));
  }

  /** Why a call would be allowed, asked or denied, now or `at` another time. Nothing is asked, runs or is recorded. */
  explain(
    request: ToolCall,
    options: Pick<TurnOptions, "principal"> & { readonly at?: number } = {},
  ): Promise<Explained> {
    const { at, ...begun } = options;
    return this.#life.counted((within) =>
      explainTurn(request, { id: "explain", canPark: false, within, options: begun, at }, this.#parts),
    );
  }

  /** Which of the calls so far rules would have allowed: to look at before they are added. */
  async preview(rules: readonly Rule[]): Promise<RulePreview> {
    const { journal, runtime, registry } = this.#parts;
    const calls = await recordedCalls(journal, { tools: registry.list() });
    return previewRules(rules, runtime.authorizer, calls);
  }

  /** The audit log of the session so far. */
  get journal(): Pick<Journal, "read"> {
    return this.#parts.journal;
  }

  /** Everything the agent may need: the requirements of its manifest and its tools, together. */
  requirements(): RequirementSet {
    return this.#parts.runtime.sessionState.of(this.#parts.principal).requires;
  }

  /**
   * What the session of a subagent inherits: `createSession({ parent: session.childContext("researcher") })`. The child
   * runs on behalf of the call that starts it, or else of the session.
   * @throws ToolkeepError `invalid_option` where that may be one of several: give `options.principal` of the task.
   */
  childContext(agent: string, principal?: Partial<Principal>): ParentContext {
    const { parentContext, runtime, principal: own } = this.#parts;
    const whose = principal === undefined ? runtime.spawning.only(own) : principalOf(principal, own);
    const agents = [...parentContext.agents, agent];
    return toParentContext({ ...parentContext, agents, principal: whose });
  }

  /** Forgets every `always` and every rule that an answer added, here and in sessions that share them. Approvals of the project stay. */
  forgetApprovals(): void {
    this.#life.assertOpen();
    this.#parts.parentContext.memory.clear();
    this.#parts.runtime.authorizer.forget?.();
    this.#record("", { type: "approval-forget" });
  }

  /** A message from the user while the agent works: calls that have not begun are skipped, as the strategy allows. */
  steer(text: string): void {
    this.#parts.link.messages.push({ text });
  }

  /** Follows what happens, from here on. */
  events(options?: { readonly buffer?: number }): AsyncIterableIterator<SessionEvent> {
    return this.#parts.stream.watch(options);
  }

  /** Cancels everything that runs or waits, or one turn. */
  cancel(turnId?: string): void {
    if (turnId === undefined) this.#life.cancelAll();
    else this.#life.cancelTurn(turnId);
  }

  /**
   * Cancels everything, waits until every turn has recorded how it ended, disposes the tools and the outputs of this
   * session, and ends the event streams. What a waiting turn needs stays: another process can continue it.
   */
  close(): Promise<void> {
    return this.#life.end(async () => {
      this.cancel();
      await this.#parts.runtime.open.over();
      await endSession(this.#parts);
    });
  }

  /**
   * Waits until every turn is over, writes what is buffered and gives the session free for another process. It is not
   * closed: `createSession` with the same `id` and `store` continues it.
   */
  leave(): Promise<void> {
    return this.#life.end(async () => {
      await this.#parts.runtime.open.over();
      await leaveSession(this.#parts);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A proposal is trusted for nothing: the call is evaluated again, or the turn is resumed from its record. */
  async #runProposal({ status, id, call }: Proposal, options?: TurnOptions): Promise<TurnOutcome> {
    if (status !== "allowed") return this.resume(id, options);
    return this.run([call], { ...this.#proposedFor.take(id), ...options, id });
  }

  #record(turn: string, entry: JournalEntry): void {
    this.#parts.runtime.recorder.write(turn, entry);
  }
}

const MOST_KEPT = 10_000;

/** On whose behalf calls were proposed that did not run yet: a proposal, which comes from anywhere, does not say it. */
class ProposedFor {
  readonly #byTurn = new Map<string, Partial<Principal>>();

  add(turn: string, principal: Partial<Principal> | undefined): void {
    if (principal === undefined) return;
    const [oldest] = this.#byTurn.size >= MOST_KEPT ? this.#byTurn.keys() : [];
    if (oldest !== undefined) this.#byTurn.delete(oldest);
    this.#byTurn.set(turn, principal);
  }

  take(turn: string): Pick<TurnOptions, "principal"> {
    const principal = this.#byTurn.get(turn);
    this.#byTurn.delete(turn);
    return principal === undefined ? {} : { principal };
  }
}
