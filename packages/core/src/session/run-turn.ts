import type { Principal } from "../contract/people/principal.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { AuthorizedCall, ToolCall } from "../contract/stages/call.ts";
import type { OpenJournal } from "../contract/store/store.ts";
import type { Budget } from "../contract/values/budget.ts";
import { JsonText } from "../contract/values/json-text.ts";
import type { EventStream } from "../journal/event-stream.ts";
import { isEmpty, readTurn, type TurnRecord } from "../pipeline/record/turn-record.ts";
import { runBatch, type Strategy } from "../pipeline/run-batch.ts";
import { prepareCall } from "../pipeline/run-call.ts";
import { forgetPending } from "../pipeline/stages/approve.ts";
import { acceptFirst } from "../pipeline/stages/authorize.ts";
import { type Explained, explainCall, previewCall } from "../pipeline/stages/evaluate-call.ts";
import type { Answers } from "../pipeline/steps/answers.ts";
import { UnrecordedSteps } from "../pipeline/steps/unrecorded-steps.ts";
import { CallSpans } from "../pipeline/turn/call-spans.ts";
import type { Cancellation } from "../pipeline/turn/cancellation.ts";
import { type Halted, Parked, pass, Refused } from "../pipeline/turn/stage.ts";
import type { Runtime, Turn } from "../pipeline/turn/turn.ts";
import type { Registry } from "../registry/registry.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { openRequestsOf } from "./answers.ts";
import type { NewSteps } from "./options.ts";
import type { ParentContextParts } from "./parent-context.ts";
import { type Opened, recordedPrincipal, turnPrincipal } from "./principals.ts";
import type { StoreLink } from "./store-link.ts";
import { type Proposal, type TurnOptions, type TurnOutcome, textOfCalls } from "./turn.ts";

/** What a session is put together from. */
export interface SessionParts {
  readonly runtime: Runtime;
  readonly registry: Registry;
  /** The rules of its policy; none for an authorizer of the host application. */
  readonly rules: () => readonly Rule[];
  /** Prepares the tools that are new. */
  prepare(): Promise<void>;
  readonly journal: OpenJournal;
  readonly link: StoreLink;
  readonly stream: EventStream;
  readonly answers: Answers;
  readonly strategy: Strategy;
  readonly principal: Principal;
  readonly opened: Opened;
  readonly parentContext: ParentContextParts;
  /** Ends what the session shares with others while it is open. */
  readonly release: () => void;
  /** Disposes the tools that belong to this session alone. */
  readonly disposeTools: () => Promise<void>;
  readonly newBudget: (() => Budget) | undefined;
  readonly newSteps: NewSteps;
}

/** A turn that is about to run. */
export interface BegunTurn {
  readonly id: string;
  /** Whether it may end with a request open; otherwise it waits for the answer. */
  readonly canPark: boolean;
  /** Requests are recorded and not put to the approver. */
  readonly isDeferred?: boolean;
  /** What cancels it, as it was when the turn was asked for. */
  readonly within: Cancellation;
  readonly options: TurnOptions | undefined;
  readonly record?: TurnRecord | undefined;
  /** The principal of a turn that continues. */
  readonly principal?: Principal | undefined;
}

/** Takes the answers that were left for a turn, and reads what the journal has of it; `undefined` for a new one. */
export async function turnWithLeftAnswers(
  turn: string,
  { journal, link }: Pick<SessionParts, "journal" | "link">,
): Promise<TurnRecord | undefined> {
  const before = await readTurn(journal, turn);
  if (isEmpty(before) && before.asked.size === 0) return undefined;
  await link.takeAnswers();
  const record = await readTurn(journal, turn);
  return isEmpty(record) ? undefined : record;
}

/** Runs the calls of a turn: a new one, or one that is resumed. */
export async function runTurn(
  calls: readonly ToolCall[],
  begun: BegunTurn,
  parts: SessionParts,
): Promise<TurnOutcome> {
  await parts.prepare();
  const { id, record, options } = begun;
  const principal = await continuedFor({ id, record, given: options?.principal }, parts);
  const turn = openTurn({ ...begun, principal }, parts);
  try {
    for (const { arguments: args, refusedAt } of record?.done.values() ?? []) {
      if (refusedAt === undefined) turn.budget?.charge(args.text);
    }
    return await runCalls(calls, turn, { options }, parts);
  } finally {
    releaseTurn(turn);
  }
}

interface Continued extends Pick<BegunTurn, "id" | "record"> {
  readonly given: Partial<Principal> | undefined;
}

/** The principal of a turn that continues; `undefined` for a new one. */
async function continuedFor({ id, record, given }: Continued, parts: SessionParts) {
  if (record === undefined) return undefined;
  const { principal: own, journal, opened, runtime } = parts;
  return recordedPrincipal(id, record, { own, journal, opened, redactor: runtime.redactor, given });
}

/** Evaluates a call. What is not allowed is recorded as a turn: one that waits, or one whose call is refused. */
export async function proposeCall(call: ToolCall, begun: BegunTurn, parts: SessionParts): Promise<Proposal> {
  await parts.prepare();
  const turn = openTurn(begun, parts);
  try {
    const steps = new UnrecordedSteps();
    const decided = await prepareCall(call, { ...turn, steps }, previewCall);
    if (decided instanceof Parked) throw new TypeError("A call cannot park before it is decided.");
    if (!(decided instanceof Refused) && decided.decision.action === "allow")
      return { status: "allowed", id: turn.id, call, decision: decided.decision };
    const evaluated = await pass(decided, acceptFirst, turn);
    const onBegin = () => recordAnswers(steps, turn);
    const outcome = await runCalls([call], turn, { options: begun.options, evaluated, onBegin }, parts);
    return proposalOf(call, decided, outcome);
  } finally {
    releaseTurn(turn);
  }
}

function proposalOf(call: ToolCall, decided: AuthorizedCall | Refused, outcome: TurnOutcome): Proposal {
  const { id } = outcome;
  const decision = decided instanceof Refused ? decided.deniedBy : decided.decision;
  if (outcome.status === "waiting") {
    const [request] = outcome.requests;
    if (request === undefined || decision === undefined || !("approvalKey" in request))
      throw new TypeError("A proposal waits without a request.");
    return { status: "waiting", id, call, decision, request };
  }
  const [result] = outcome.results;
  if (result === undefined) throw new TypeError("A proposal was refused without a result.");
  return { status: "refused", id, call, result, ...(decision === undefined ? {} : { decision }) };
}

/** Records the answers of the outside world that the evaluation depended on. */
function recordAnswers({ answers }: UnrecordedSteps, { id: turn, runtime }: Turn): void {
  for (const { id, value } of answers) {
    const text = new JsonText(runtime.redactor.redactJson(JSON.stringify(value) ?? "null"));
    runtime.recorder.write(turn, { type: "step-end", id, value: text });
  }
}

/** Explains the decision on a call. Nothing is recorded. */
export async function explainTurn(
  call: ToolCall,
  begun: BegunTurn & { readonly at: number | undefined },
  parts: SessionParts,
): Promise<Explained> {
  await parts.prepare();
  const turn = openTurn(begun, parts);
  try {
    const runtime = { ...turn.runtime, recorder: turn.runtime.recorder.muted() };
    return await explainCall(call, { ...turn, runtime, steps: new UnrecordedSteps() }, begun.at);
  } finally {
    releaseTurn(turn);
  }
}

interface RunOptions {
  readonly options: TurnOptions | undefined;
  /** The evaluation of the call, where it was made before. */
  readonly evaluated?: AuthorizedCall | Halted;
  /** Called once the turn has begun. */
  readonly onBegin?: () => void;
}

async function runCalls(
  calls: readonly ToolCall[],
  turn: Turn,
  { options, evaluated, onBegin }: RunOptions,
  parts: SessionParts,
): Promise<TurnOutcome> {
  const { strategy, journal } = parts;
  const { id, record } = turn;
  const { recorder, sessionId, ports } = turn.runtime;
  const { pending } = ports;
  if (record === undefined) recordStart(calls, turn, parts);
  onBegin?.();
  const kept = `${sessionId}/${id}`;
  // The arguments of a turn that continues are kept already.
  const isKept = options?.keepArguments !== "parked" || record !== undefined;
  if (isKept) await pending.put(kept, textOfCalls(calls));
  const outcome = await runBatch(calls, turn, {
    strategy,
    ...(evaluated === undefined ? {} : { evaluated }),
  });
  const { results, messages } = outcome;
  if (outcome.status === "done") {
    if (isKept) await pending.delete(kept);
    // A process may have been killed after a call was settled, and before its arguments were removed.
    if (record !== undefined) for (const call of calls) await forgetPending(call.id, turn);
    recorder.write(id, { type: "turn-end" });
    await parts.link.endTurn(messages, () => recorder.flush());
    return { id, status: "done", results: outcome.results, requests: [], messages };
  }
  if (!isKept) await pending.put(kept, textOfCalls(calls));
  recorder.write(id, { type: "turn-park", waiting: outcome.waitingFor });
  await recorder.flush();
  await parts.link.endTurn(messages, () => undefined);
  return { id, status: "waiting", results, requests: await openRequestsOf(journal, id), messages };
}

/** A call in a turn that the journal knows has its principal. @throws ToolkeepError `invalid_option`, `turn_unknown`. */
export async function assertSamePrincipal({ id, principal }: Turn, parts: SessionParts): Promise<void> {
  const record = await readTurn(parts.journal, id);
  if (!record.isComplete && record.principal === undefined) return;
  await continuedFor({ id, record, given: principal }, parts);
}

/** Records that a turn begins, and on whose behalf if that is not the session's principal. */
export function recordStart(
  calls: readonly ToolCall[],
  { id, principal, runtime }: Turn,
  { principal: own }: SessionParts,
): void {
  runtime.recorder.write(id, {
    type: "turn-start",
    calls: calls.map(({ id: call, name }) => ({ id: call, name })),
    ...(principal === own ? {} : { principal }),
  });
}

export function openTurn(
  { id, canPark, isDeferred = false, within, options, record, principal }: BegunTurn,
  { registry, runtime, newBudget, newSteps, principal: own }: SessionParts,
): Turn {
  // Before anything is taken that has to be released.
  const turnsOwn = principal ?? turnPrincipal(options?.principal, { own, redactor: runtime.redactor });
  const cancellation = options?.signal === undefined ? within : within.child(options.signal);
  const tools = registry.view();
  const steps = newSteps(id, { cancellation, record, isDeferred });
  return {
    id,
    runtime,
    tools,
    steps,
    cancellation,
    principal: turnsOwn,
    budget: options?.budget ?? newBudget?.(),
    timeoutMs: options?.timeoutMs,
    canPark,
    inside: undefined,
    record,
    spans:
      runtime.telemetry === undefined
        ? undefined
        : spansOf(runtime.telemetry, { id, runtime, tools, steps, record }),
  };
}

/** A replay does nothing, so it has no spans. */
function spansOf(
  telemetry: Telemetry,
  { id, runtime, tools, steps, record }: Pick<Turn, "id" | "runtime" | "tools" | "steps" | "record">,
): CallSpans | undefined {
  if (steps.replayed !== undefined) return undefined;
  const { sessionId, redactor } = runtime;
  return new CallSpans({ telemetry, sessionId, turn: id, tools, redactor, isResumed: record !== undefined });
}

export function releaseTurn({ tools, cancellation }: Turn): void {
  tools.release();
  cancellation.release();
}
