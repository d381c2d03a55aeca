import { HEADLESS_QUESTION } from "../../../contract/approval/approval.ts";
import type { Effect } from "../../../contract/call/effect.ts";
import { ToolFailure, type ToolResult } from "../../../contract/call/result.ts";
import type { JsonSchema } from "../../../contract/call/schema-type.ts";
import type { Skills, TaskInput, TaskOutcome } from "../../../contract/io/agent.ts";
import type { Io } from "../../../contract/io/io.ts";
import type {
  Question,
  QuestionAnswers,
  QuestionField,
  QuestionRequest,
} from "../../../contract/people/question.ts";
import { type Step, TurnParked } from "../../../contract/store/steps.ts";
import type {
  KeptResults,
  OutputStream,
  RegisteredTool,
  StateSlot,
  ToolContext,
} from "../../../contract/tool/tool.ts";
import { collectOutput, type OutputCollector } from "../../../results/collect-output.ts";
import { harmlessText } from "../../../results/harmless-text.ts";
import type { RunningCall } from "../../turn/running-call.ts";
import { shownPrincipal } from "../../turn/shown-principal.ts";
import { grantOf } from "./grant.ts";

/** Runs a call that a tool makes while it runs. */
export type RunNested = (
  call: { id: string; name: string; arguments: Readonly<Record<string, unknown>> },
  running: RunningCall,
) => Promise<ToolResult>;

const CHILD_WAITS =
  "The subagent waits for a person, and this call cannot wait with it: it was made with `session.call`, not with `session.run`.";

/** What one execution of a tool is given. Everything costly is made when the tool reaches for it. */
export class CallContext implements ToolContext {
  readonly #running: RunningCall;
  readonly #nested: RunNested;
  readonly #step: Step;
  #io: Io | undefined;
  #collector: OutputCollector | undefined;
  #asked = 0;
  #called = 0;
  #spawned = 0;
  #hasChangedState = false;
  #isActing = false;

  constructor(running: RunningCall, nested: RunNested, step: Step) {
    this.#running = running;
    this.#nested = nested;
    this.#step = step;
  }

  get toolCallId(): string {
    return this.#running.call.id;
  }

  get toolName(): string {
    return this.#running.call.found.name;
  }

  get sessionId(): string {
    return this.#running.turn.runtime.sessionId;
  }

  get effects(): readonly Effect[] {
    // Copies: a tool must not change what its I/O is checked against.
    return this.#running.call.effects.map((effect) => ({ ...effect }));
  }

  get abortSignal(): AbortSignal {
    return this.#running.abortSignal;
  }

  get idempotencyKey(): string {
    const { turn, call } = this.#running;
    return `${turn.runtime.sessionId}/${turn.id}/${call.id}`;
  }

  get config(): unknown {
    return this.#running.call.found.config;
  }

  get state(): StateSlot {
    const { turn, call } = this.#running;
    const slot = turn.runtime.states.slotOf(call.found, turn.id);
    return {
      get: slot.get,
      set: (value) => {
        this.#hasChangedState = true;
        slot.set(value);
      },
    };
  }

  get io(): Io {
    if (this.#io !== undefined) return this.#io;
    const { grantIo } = this.#running.turn.runtime.ports;
    if (grantIo === undefined)
      throw new ToolFailure("unavailable", "This session has no access to files, network or commands.");
    this.#io = grantIo(grantOf(this.#running));
    return this.#io;
  }

  get skills(): Skills {
    const { skills } = this.#running.turn.runtime.ports;
    if (skills === undefined) throw new ToolFailure("unavailable", "This session has no skills.");
    return skills;
  }

  get tools(): readonly RegisteredTool[] {
    return this.#running.turn.tools.list();
  }

  get output(): OutputStream {
    const { turn, call } = this.#running;
    const { redactor, limits, ports } = turn.runtime;
    this.#collector ??= collectOutput({
      callId: call.id,
      limitBytes: call.found.tool.maxOutput?.bytes ?? limits.maxOutputBytes,
      redactor,
      sidecar: ports.sidecar,
    });
    return this.#collector;
  }

  get results(): KeptResults {
    const { sidecar } = this.#running.turn.runtime.ports;
    return {
      async read(path, range) {
        const bytes = await sidecar.read(path, range);
        if (bytes === undefined) throw new ToolFailure("not_found", `There is no kept result at ${path}.`);
        return bytes;
      },
    };
  }

  async acting(): Promise<void> {
    this.#assertGoing();
    this.#isActing = true;
    await this.#step.begin();
    // The intent took its time to become durable: whether the call was stopped meanwhile is known only now.
    this.#assertGoing();
    if (this.#running.turn.cancellation.isCancelled) throw new ToolFailure("cancelled", "Cancelled");
  }

  update(partial: unknown): void {
    this.#running.extend();
    this.#running.updates.update(partial);
  }

  progress(text: string, fraction?: number): void {
    this.#running.extend();
    this.#running.updates.progress(text, fraction);
  }

  async ask(questions: readonly Question[]): Promise<QuestionAnswers> {
    this.#assertGoing();
    const { turn, call } = this.#running;
    const id = `${call.id}/question/${this.#asked + 1}`;
    const mustWait = !turn.canPark || (this.hasActed && !call.found.tool.resumable);
    // What was asked in an earlier process may be answered, or can wait further.
    const { asked, answers } = turn.record ?? {};
    const isKnown = answers?.has(id) === true || (asked?.has(id) === true && !mustWait);
    if (turn.runtime.ports.approver.answer === undefined && !isKnown)
      throw new ToolFailure("unavailable", HEADLESS_QUESTION);
    this.#asked += 1;
    const { agents } = turn.runtime.sessionState;
    const request: QuestionRequest = {
      id: `${turn.id}/${id}`,
      sessionId: this.sessionId,
      callId: call.id,
      toolName: this.toolName,
      ...(agents.length === 0 ? {} : { agents }),
      principal: shownPrincipal(turn),
      questions: questions.map(plainQuestion),
    };
    this.#running.pause();
    try {
      const asking = turn.steps.park<QuestionAnswers>("question", id, request, mustWait);
      return await (turn.spans?.waitForPerson(call.id, "question", asking) ?? asking);
    } catch (reason) {
      if (!(reason instanceof TurnParked)) throw reason;
      this.#running.park(reason.waitingFor);
      return await new Promise<never>(() => {});
    } finally {
      this.#running.resume();
    }
  }

  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    this.#assertGoing();
    this.#called += 1;
    return this.#nested({ id: `${this.toolCallId}/${this.#called}`, name, arguments: args }, this.#running);
  }

  async spawn(input: TaskInput, options: { readonly detached?: boolean } = {}): Promise<TaskOutcome> {
    this.#assertGoing();
    const { steps, principal, runtime } = this.#running.turn;
    this.#spawned += 1;
    const task = {
      key: `${this.idempotencyKey}/${this.#spawned}`,
      detached: options.detached ?? false,
      principal,
      signal: this.abortSignal,
      update: (partial: unknown) => {
        if (this.#running.isOver) return;
        this.#running.extend();
        this.#running.updates.report(partial);
      },
    };
    const outcome = await runtime.spawning.during(principal, () => steps.spawn(input, task));
    if (outcome.status !== "waiting") return outcome;
    if (!this.#running.turn.canPark) throw new ToolFailure("unavailable", CHILD_WAITS);
    this.#running.park(outcome.childId);
    return new Promise<never>(() => {});
  }

  /** What the tool wrote to `output`; `undefined` when it never did. */
  get collected(): OutputCollector | undefined {
    return this.#collector;
  }

  /** Whether the tool has done anything yet that running it again would do again. */
  get hasActed(): boolean {
    const hasCalled = this.#called > 0 || this.#spawned > 0 || this.#isActing;
    return this.#io !== undefined || hasCalled || this.#collector !== undefined || this.#hasChangedState;
  }

  /** Another attempt starts with nothing written. */
  restartOutput(): void {
    this.#collector = undefined;
  }

  /** A tool that was stopped, or has ended, can do nothing more. */
  #assertGoing(): void {
    if (this.#running.isOver) throw new ToolFailure("cancelled", "The call is over.");
  }
}

/** What a model or a server asks must not be able to pose as anything else on a screen. */
export function plainQuestion({ question, header, options, field, ...more }: Question): Question {
  return {
    ...more,
    question: harmlessText(question),
    ...(header === undefined ? {} : { header: harmlessText(header) }),
    ...(options === undefined ? {} : { options: options.map(plainOption) }),
    ...(field === undefined ? {} : { field: plainField(field) }),
  };
}

function plainOption({ label, description }: NonNullable<Question["options"]>[number]) {
  return {
    label: harmlessText(label),
    ...(description === undefined ? {} : { description: harmlessText(description) }),
  };
}

function plainField({ name, schema, isRequired }: QuestionField): QuestionField {
  return { name: harmlessText(name), schema: plainValue(schema) as JsonSchema, isRequired };
}

function plainValue(value: unknown): unknown {
  if (typeof value === "string") return harmlessText(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [harmlessText(key), plainValue(inner)]),
  );
}
