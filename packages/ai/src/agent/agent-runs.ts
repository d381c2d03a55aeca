import type { Session, ToolkeepError } from "@toolkeep/core";
import { invalidOption, type SessionRecord } from "@toolkeep/core/internal";
import type { Message } from "@toolkeep/core/journal";
import type { LanguageModel } from "ai";
import { beginRun } from "./begin-run.ts";
import { continueRun, lastStep } from "./continue-run.ts";
import type { Delegation } from "./delegation/delegation.ts";
import { usedByRun } from "./delegation/recorded-use.ts";
import { EventQueue } from "./event-queue.ts";
import { forwardEvents } from "./forward-events.ts";
import type { AgentSpans } from "./loop/agent-spans.ts";
import { NO_USAGE } from "./loop/ask-model.ts";
import { Conversation } from "./loop/conversation.ts";
import type { LoopEnd } from "./loop/loop-host.ts";
import { retell } from "./loop/retell.ts";
import { type LoopParts, runLoop } from "./loop/run-loop.ts";
import { readTextCalls } from "./loop/text-calls.ts";
import { ModelTools } from "./model-tools.ts";
import { AgentBudget, addUsage } from "./options/agent-budget.ts";
import type { AgentEvent, EndReason } from "./options/agent-event.ts";
import type { LoopLimits, ReadOptions } from "./options/agent-options.ts";
import { KeptValues } from "./record/kept-values.ts";
import { begunFor, type RecordedRun, RunReader, turnOfStep } from "./record/recorded-runs.ts";
import { Steering } from "./record/steering.ts";
import { SessionHost } from "./session-host.ts";
import { ShownTools } from "./shown-tools.ts";
import { systemPrompt } from "./system-prompt.ts";
import { turnPark } from "./turn-park.ts";

/** What the runs of an agent share. */
export interface AgentParts
  extends Pick<
    ReadOptions,
    "instructions" | "prompt" | "steering" | "toolCalling" | "compact" | "signal" | "settings" | "deferTools"
  > {
  readonly models: readonly LanguageModel[];
  readonly session: Session;
  readonly record: SessionRecord;
  readonly limits: LoopLimits;
  /** Aborts when the agent leaves this process. */
  readonly leaving: AbortSignal;
  /** `undefined` unless the application has registered a tracer provider. */
  readonly spans: AgentSpans | undefined;
  /** Its subagents, if it can have some. */
  readonly delegation: Delegation | undefined;
  /** What the run of its parent has left, for a subagent. */
  readonly parentBudget: (() => AgentBudget | undefined) | undefined;
}

/** Ends that are final. After another one the run is continued. */
const FINAL: ReadonlySet<EndReason> = new Set(["done", "terminal", "steps", "tokens", "calls", "cancelled"]);

/** The runs of an agent, one after the other. */
export class AgentRuns {
  readonly #parts: AgentParts;
  readonly #steering: Steering;
  readonly #tools = new ModelTools();
  readonly #shown: ShownTools;
  readonly #recorded: RunReader;
  #cancel = new AbortController();
  #running: Promise<void> | undefined;
  #budget: AgentBudget | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    const { record, steering: mode } = parts;
    this.#recorded = new RunReader(record.journal);
    this.#shown = new ShownTools(parts.deferTools);
    this.#steering = new Steering({
      mode,
      send: (message) => record.send(message),
      idOf: (message) => record.messageId(message),
      flush: () => record.flush(),
    });
  }

  start(prompt: string): AsyncIterableIterator<AgentEvent> {
    return this.#follow(async (emit) => {
      // What was cancelled before has nothing to do with it.
      if (this.#parts.signal?.aborted !== true) this.#cancel = new AbortController();
      const runs = await this.#recorded.read();
      const last = runs.at(-1);
      if (last !== undefined && !last.isFinished) throw notFinished(this.#parts.session.id);
      const { session, record } = this.#parts;
      const first = { number: (last?.number ?? 0) + 1, step: lastStep(runs) + 1, prompt };
      const run = await beginRun(first, session.id, record);
      return this.#cancellable({ before: runs, run, isResumed: false }, emit);
    });
  }

  resume(): AsyncIterableIterator<AgentEvent> {
    return this.#follow(async (emit) => {
      const runs = await this.#recorded.read();
      const last = runs.at(-1);
      if (last === undefined) throw invalidOption("There is no run to continue: call `agent.run(prompt)`.");
      if (last.isFinished) return this.#endAgain(last);
      if (last.end === undefined)
        return this.#cancellable({ before: runs.slice(0, -1), run: last, isResumed: true }, emit);
      const { session, record } = this.#parts;
      const kept = new KeptValues(session.id, last.id, record.pending);
      await this.#finish(last.id, await kept.find(last.steps));
      return this.#endAgain(last);
    });
  }

  steer(text: string): void {
    this.#steering.add(text);
    this.#parts.delegation?.wake();
  }

  /** A task in the background is over. After a crash it reports again. */
  report(text: string): void {
    this.#steering.report(text);
    this.#parts.delegation?.wake();
  }

  /** What the run has used, and its subagents with it. */
  get budget(): AgentBudget | undefined {
    return this.#budget;
  }

  cancel(): void {
    this.#cancel.abort(new DOMException("The agent was cancelled.", "AbortError"));
    this.#parts.delegation?.cancel();
  }

  /** Resolves when no run is at work in this process. */
  async over(): Promise<void> {
    await this.#running;
  }

  /** Runs while its events are read. */
  #follow(
    run: (emit: (event: AgentEvent) => void) => Promise<AgentEvent>,
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const queue = new EventQueue<AgentEvent>();
    const emit = (event: AgentEvent) => queue.push(event);
    const begin = () => {
      if (this.#running !== undefined)
        throw invalidOption("The agent is at work: read its events to the end first.");
      this.#running = run(emit).then(
        (end) => {
          emit(end);
          queue.end();
        },
        (thrown: unknown) => queue.end({ thrown }),
      );
    };
    const over = async () => {
      await this.#running;
      this.#running = undefined;
    };
    return queue.read({ begin, leave: () => this.cancel(), over });
  }

  /** A run is a turn of the session: who cancels that, in this process or by the store, cancels the run. */
  #cancellable(current: CurrentRun, emit: (event: AgentEvent) => void): Promise<AgentEvent> {
    return this.#parts.record.within(current.run.id, (cancelled) => {
      if (cancelled.aborted) this.cancel();
      cancelled.addEventListener("abort", () => this.cancel(), { once: true });
      return this.#run(current, emit);
    });
  }

  /** A run is continued from what is recorded of it, also the one that has just begun. */
  async #run({ before, run, isResumed }: CurrentRun, emit: (event: AgentEvent) => void): Promise<AgentEvent> {
    const { session, record, models, settings, toolCalling, limits, compact, leaving } = this.#parts;
    const { spans, delegation } = this.#parts;
    const { signal } = this.#cancel;
    const conversation = new Conversation(toolCalling);
    for (const { steps } of before) for (const one of steps) await retell(one, conversation);
    const kept = new KeptValues(session.id, run.id, record.pending);
    const budget = new AgentBudget(limits, this.#parts.parentBudget?.());
    this.#budget = budget;
    const { start, unfinished } = await continueRun(before, run, { conversation, kept, budget });
    const host = new SessionHost({
      ...{ session, record, run: run.id, kept, signal, budget, unfinished, isResumed },
      ...{ messages: run.messages, children: delegation },
      ...begunFor(run),
      isLeaving: () => leaving.aborted,
    });
    // A process can be killed after it recorded messages, and before the store removed them.
    for (const { left } of [...before.slice(-1), run]) await record.messagesRecorded(left);
    await this.#steering.begin(run.id, kept, run.received);
    await delegation?.restore(run, budget);
    await this.#shown.restore(session);
    const stop = forwardEvents(record, emit);
    let end: LoopEnd;
    try {
      const system = await systemPrompt({ ...this.#parts, shown: this.#shown.always(session.tools()) });
      const loop: LoopParts = {
        ...{ host, conversation, models, settings, budget, signal, compact, emit, spans, system },
        tools: () => (toolCalling === "text" ? {} : this.#tools.of(this.#shown.of(session.tools()))),
        learn: (results) => this.#shown.learn(results, session.tools()),
        readCalls: (reply, step) => (toolCalling === "text" ? readTextCalls(reply, step) : reply),
        takeMessages: () => this.#takeMessages(),
        unfinished: () => delegation?.unfinished,
        steering: this.#steering,
      };
      const work = () => runLoop(loop, start);
      end = await (spans?.run(isResumed, work) ?? work());
    } finally {
      stop();
    }
    // The model has seen what tasks in the background reported, unless the run was cut short.
    if (FINAL.has(end.reason) && end.reason !== "done") delegation?.cancel();
    if (FINAL.has(end.reason)) {
      const { reason, step, text } = end;
      const { checkpoint } = this.#recorded;
      const about = checkpoint === undefined ? {} : { checkpoint };
      record.write(run.id, { type: "run-end", reason, step, text, ...about });
      await this.#finish(run.id, kept);
    } else await this.#leaveOpen(run.id, end);
    const { step, ...told } = end;
    const requests = [...told.requests, ...(end.reason === "waiting" ? (delegation?.requests() ?? []) : [])];
    return { type: "end", ...told, requests, steps: step - (run.steps[0]?.step ?? start.step) + 1 };
  }

  /** The messages that no turn has taken. Where tasks work in the background, one of them is waited for. */
  async #takeMessages(): Promise<readonly Message[]> {
    const { record, delegation } = this.#parts;
    for (;;) {
      const left = await record.takeMessages();
      if (left.length > 0 || (await delegation?.nextReport()) !== true) return left;
    }
  }

  /** The end of a run that is over. What a subagent used in it counts for this life of its parent too. */
  async #endAgain(run: RecordedRun): Promise<AgentEvent> {
    const { record, parentBudget } = this.#parts;
    const parent = parentBudget?.();
    if (parent !== undefined) parent.add(await usedByRun(run, record));
    return endAgain(run);
  }

  /** Writes that the run is over, and removes what it kept raw. */
  async #finish(run: string, kept: KeptValues): Promise<void> {
    const { record } = this.#parts;
    record.write(run, { type: "turn-end" });
    await record.flush();
    this.#steering.end();
    await kept.forget();
  }

  /** A run that waits is parked with its requests. */
  async #leaveOpen(run: string, { reason, step, requests }: LoopEnd): Promise<void> {
    const { record, delegation } = this.#parts;
    if (reason === "waiting") record.write(run, turnPark(turnOfStep(step), requests, delegation));
    await record.flush();
  }
}

interface CurrentRun {
  /** The runs before it. */
  readonly before: readonly RecordedRun[];
  readonly run: RecordedRun;
  readonly isResumed: boolean;
}

function endAgain({ end, steps }: RecordedRun): AgentEvent {
  const usage = steps.reduce((sum, { reply }) => addUsage(sum, reply?.usage ?? NO_USAGE), NO_USAGE);
  const reason = (end?.reason ?? "cancelled") as EndReason;
  // A step that only received messages was not asked for.
  const asked = steps.filter(({ reply }) => reply !== undefined).length;
  return { type: "end", reason, text: end?.text ?? "", steps: asked, usage, requests: [] };
}

function notFinished(sessionId: string): ToolkeepError {
  return invalidOption(
    `The agent ${JSON.stringify(sessionId)} has a run that is not finished. Continue it with \`agent.resume()\`; after \`agent.cancel()\` that ends it.`,
  );
}
