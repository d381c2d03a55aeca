import {
  type ApprovalAnswer,
  type ApprovalRequest,
  headlessApprover,
  type PersonRequest,
  unknownField,
} from "../../contract/approval/approval.ts";
import { expiryOf } from "../../contract/approval/given-answer.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { TaskInput, TaskOptions, TaskOutcome, WaitingTask } from "../../contract/io/agent.ts";
import type { QuestionAnswers, QuestionRequest } from "../../contract/people/question.ts";
import {
  type FindOut,
  type Message,
  OutcomeUnknown,
  type ParkKind,
  type Step,
  type StepEffect,
  type Steps,
  TurnParked,
} from "../../contract/store/steps.ts";
import { errorText } from "../../contract/values/error.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import { isAlike } from "../../policy/approvals/approved-runs.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { TurnRecord } from "../record/turn-record.ts";
import type { Cancellation } from "../turn/cancellation.ts";
import { EXPIRED, UNANSWERED, untilExpiry } from "./expiry.ts";
import { editKey, recordAnswer, type StepsOutside } from "./record-answer.ts";

/** Steps within this process, over any journal. What the journal already knows is not done again. */
export class InProcessSteps implements Steps {
  readonly #turn: string;
  readonly #outside: StepsOutside;
  readonly #cancellation: Cancellation;
  readonly #record: TurnRecord | undefined;
  #open: Map<string, AbortController> | undefined;
  #withdrawn: Set<string> | undefined;
  #clockReadings = 0;

  constructor(turn: string, outside: StepsOutside, cancellation: Cancellation, record?: TurnRecord) {
    this.#turn = turn;
    this.#outside = outside;
    this.#cancellation = cancellation;
    this.#record = record;
  }

  run<T>(
    id: string,
    effect: StepEffect,
    action: (step: Step) => T | Promise<T>,
    findOut?: FindOut,
  ): Promise<T> {
    if (effect === "none") return this.#answer(id, action);
    if (effect === "idempotent") return Promise.resolve(action(new InProcessStep(id, this.#cancellation)));
    if (this.#record?.begun.has(id)) return this.#again(id, effect, action, findOut);
    return effect === "once" ? this.#once(id, action) : this.#announced(id, action);
  }

  async park<Answer>(kind: ParkKind, id: string, request: unknown, mustWait = false): Promise<Answer> {
    // It was made needless while the question was being put together.
    if (this.#withdrawn?.has(id)) throw new TurnParked(id);
    const { answers, recorder, approver } = this.#outside;
    const key = `${this.#turn}/${id}`;
    const wasAsked = this.#record?.asked.has(id) === true;
    // Asked anew: what was said to an earlier question does not count.
    if (!wasAsked) answers.forget(key);
    // Before the request is known outside: an answer that comes at once must be waited for already.
    const elsewhere = answers.next(key).then((answer) => ({ elsewhere: this.#bound(id, request, answer) }));
    let isParked = false;
    const controller = new AbortController();
    this.#open ??= new Map();
    this.#open.set(id, controller);
    try {
      const known = await this.#knownAnswer(id, request);
      if (known !== undefined) return known as Answer;
      const late = kind === "question" ? UNANSWERED : EXPIRED;
      const expiresAt = expiryOf(request as PersonRequest, this.#record?.askedAt.get(id) ?? Date.now());
      if (Date.now() > expiresAt) return (await this.#take(kind, id, late)) as Answer;
      if (wasAsked && approver === headlessApprover && !mustWait && answers.given(key) === undefined)
        throw new TurnParked(id);
      this.#announce(kind, id, request);
      await recorder.flush();
      this.#assertGoing();
      const signal = AbortSignal.any([controller.signal, this.#cancellation.signal]);
      const asked = Promise.race([this.#put(kind, request, signal), elsewhere]);
      let first = unlessUnsigned(request, await this.#cancellation.race(untilExpiry(expiresAt, asked, late)));
      if (first === "later" && !mustWait) throw new TurnParked(id);
      // The approver does not answer here; an answer may come through the session, in time.
      if (first === "later") first = await this.#cancellation.race(untilExpiry(expiresAt, elsewhere, late));
      return (isElsewhere(first) ? first.elsewhere : await this.#take(kind, id, first)) as Answer;
    } catch (error) {
      isParked = error instanceof TurnParked;
      throw error;
    } finally {
      // The approver's signal aborts when its answer is not needed any more; a parked turn still needs it.
      if (!isParked) controller.abort();
      answers.forget(key);
      this.#open.delete(id);
    }
  }

  withdraw(id: string): void {
    this.#withdrawn ??= new Set();
    this.#withdrawn.add(id);
    this.#open?.get(id)?.abort();
  }

  spawn(input: TaskInput, options: TaskOptions): Promise<TaskOutcome | WaitingTask> {
    const { tasks } = this.#outside;
    if (tasks === undefined) throw new ToolFailure("unavailable", "This session cannot start subagents.");
    return tasks.run(input, options);
  }

  now(): Promise<number> {
    this.#clockReadings += 1;
    return this.run(`now/${this.#clockReadings}`, "none", () => Date.now());
  }

  uuid(): string {
    return crypto.randomUUID();
  }

  inbox(): Promise<readonly Message[]> | readonly Message[] {
    return this.#outside.takeMessages();
  }

  async #answer<T>(id: string, action: (step: Step) => T | Promise<T>): Promise<T> {
    // Asked again when a turn is resumed: the call must see the world as it is then.
    const value = await action(new InProcessStep(id, this.#cancellation));
    const text = new JsonText(this.#outside.redactor.redactJson(JSON.stringify(value) ?? "null"));
    this.#outside.recorder.write(this.#turn, { type: "step-end", id, value: text });
    return value;
  }

  /** The intent gate: it is written down that the action begins before it does. */
  async #once<T>(id: string, action: (step: Step) => T | Promise<T>): Promise<T> {
    const flushing = this.#intend(id);
    if (flushing !== undefined) await flushing;
    return action(new InProcessStep(id, this.#cancellation));
  }

  /** The action passes the gate itself. */
  #announced<T>(id: string, action: (step: Step) => T | Promise<T>): Promise<T> {
    const step = new AnnouncedStep(id, this.#cancellation, () => this.#intend(id));
    return Promise.resolve(action(step));
  }

  #intend(id: string): Promise<void> | undefined {
    const { recorder, token } = this.#outside;
    recorder.write(this.#turn, { type: "step-intent", id, token });
    return recorder.flush();
  }

  /** It passed the gate in an earlier process, and its end is not known. */
  async #again<T>(
    id: string,
    effect: "once" | "announced",
    action: (step: Step) => T | Promise<T>,
    findOut: FindOut | undefined,
  ): Promise<T> {
    const happened = findOut === undefined ? undefined : await this.#answer(`${id}/recover`, findOut);
    if (happened === undefined) throw new OutcomeUnknown(id);
    if (happened) return action(new InProcessStep(id, this.#cancellation));
    this.#outside.recorder.write(this.#turn, { type: "step-withdraw", id });
    return effect === "once" ? this.#once(id, action) : this.#announced(id, action);
  }

  /** What was edited is kept with the pending arguments: in the journal it is redacted. */
  async #knownAnswer(id: string, request: unknown): Promise<unknown> {
    const given = this.#outside.answers.given(`${this.#turn}/${id}`);
    const recorded = this.#record?.answers.get(id) ?? given?.answer;
    if (recorded === undefined) return undefined;
    const known = this.#bound(id, request, recorded) as ApprovalAnswer;
    if (known.verdict !== "edit") return known;
    const text = await this.#outside.pending.get(editKey(this.#outside.sessionId, this.#turn, id));
    if (text === undefined) throw new Error("the edited arguments are gone");
    const edited = JSON.parse(text) as Record<string, unknown>;
    if (!isAlike(edited, known.arguments)) throw new Error("the edited arguments were changed in the store");
    return { ...known, arguments: edited };
  }

  /** An answer applies to what was shown. */
  #bound(id: string, request: unknown, answer: unknown): unknown {
    const shown = this.#record?.asked.get(id);
    const made = redactRequest(request, this.#outside.redactor);
    if (shown === undefined || boundParts(made) === boundParts(shown)) return answer;
    return { verdict: "reject", message: "Denied: this is not the call that was approved.", by: "binding" };
  }

  #assertGoing(): void {
    if (this.#cancellation.isCancelled) throw new ToolFailure("cancelled", "Cancelled");
  }

  #announce(kind: ParkKind, id: string, request: unknown): void {
    if (this.#record?.asked.has(id)) return;
    const { recorder, redactor } = this.#outside;
    const shown = redactRequest(request, redactor);
    if (kind === "approval") {
      recorder.write(this.#turn, { type: "approval-request", id, request: shown as ApprovalRequest });
    } else recorder.write(this.#turn, { type: "question-request", id, request: shown as QuestionRequest });
  }

  /** An approver that fails denies. */
  async #put(
    kind: ParkKind,
    request: unknown,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | QuestionAnswers | "later"> {
    const { approver } = this.#outside;
    if (kind === "question") return approver.answer?.(request as QuestionRequest, signal) ?? "later";
    try {
      const answer = await approver.approve(request as ApprovalRequest, signal);
      const error = unknownField(answer);
      if (error === undefined) return answer;
      const message = `Denied: the approver gave an invalid answer. ${error}`;
      return { verdict: "reject", message, by: "failed approver" };
    } catch (error) {
      const message = `Denied: the approver failed (${errorText(error)}).`;
      return { verdict: "reject", message, by: "failed approver" };
    }
  }

  /** Of several answers to one request, the first that is recorded counts. What was cancelled needs none. */
  #take(kind: ParkKind, id: string, answer: unknown): Promise<unknown> {
    const key = `${this.#turn}/${id}`;
    const { answers } = this.#outside;
    return answers.alone(key, async () => {
      const given = answers.given(key);
      if (given !== undefined) return given.answer;
      this.#assertGoing();
      await recordAnswer(kind, { turn: this.#turn, id, answer }, this.#outside);
      return answer;
    });
  }
}

/** A request without secrets. Its fingerprints may look like one, and are none. */
export function redactRequest(request: unknown, redactor: Redactor): unknown {
  const { binding } = request as Partial<ApprovalRequest>;
  const shown = JSON.parse(redactor.redactJson(JSON.stringify(request))) as object;
  return binding === undefined ? shown : { ...shown, binding };
}

/** An approver cannot approve what needs signatures: it is waited for those. */
function unlessUnsigned<Answer>(request: unknown, answer: Answer): Answer | "later" {
  const { needs } = request as Pick<ApprovalRequest, "needs">;
  if (needs === undefined || typeof answer !== "object" || answer === null) return answer;
  const { verdict } = answer as { readonly verdict?: unknown };
  return verdict === undefined || verdict === "reject" ? answer : "later";
}

/** An answer that came through the session, and is recorded already. */
function isElsewhere(answer: unknown): answer is { readonly elsewhere: unknown } {
  return typeof answer === "object" && answer !== null && "elsewhere" in answer;
}

/** What an answer is bound to. The rest of the request may differ now. */
function boundParts(request: unknown): string {
  const fields = (request ?? {}) as Record<string, unknown>;
  const names = ["toolName", "origin", "arguments", "effects", "binding", "questions"];
  return JSON.stringify(names.map((name) => fields[name]));
}

/** A step within this process. */
class InProcessStep implements Step {
  readonly key: string;
  readonly #cancellation: Cancellation;

  constructor(key: string, cancellation: Cancellation) {
    this.key = key;
    this.#cancellation = cancellation;
  }

  /** It passed the intent gate before it began, or needs not pass it. */
  begin(): Promise<void> {
    return Promise.resolve();
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}

/** A step whose action passes the intent gate itself. */
class AnnouncedStep extends InProcessStep {
  readonly #intend: () => Promise<void> | undefined;
  #began: Promise<void> | undefined;

  constructor(key: string, cancellation: Cancellation, intend: () => Promise<void> | undefined) {
    super(key, cancellation);
    this.#intend = intend;
  }

  /** Once: another attempt of the same call has begun already. */
  override begin(): Promise<void> {
    this.#began ??= Promise.resolve(this.#intend());
    return this.#began;
  }
}
