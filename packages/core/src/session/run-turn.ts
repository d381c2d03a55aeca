import type { Budget } from "../contract/budget.ts";
import type { AuthorizedCall, ToolCall } from "../contract/call.ts";
import { JsonText } from "../contract/json-text.ts";
import type { Principal } from "../contract/principal.ts";
import type { Rule } from "../contract/rule.ts";
import type { OpenJournal } from "../contract/store.ts";
import type { EventStream } from "../journal/event-stream.ts";
import type { Answers } from "../pipeline/answers.ts";
import { forgetPending } from "../pipeline/approve.ts";
import { acceptFirst } from "../pipeline/authorize.ts";
import type { Cancellation } from "../pipeline/cancellation.ts";
import { previewCall } from "../pipeline/evaluate-call.ts";
import { runBatch, type Strategy } from "../pipeline/run-batch.ts";
import { prepareCall } from "../pipeline/run-call.ts";
import { type Halted, Parked, pass, Refused } from "../pipeline/stage.ts";
import type { Runtime, Turn } from "../pipeline/turn.ts";
import type { TurnRecord } from "../pipeline/turn-record.ts";
import { UnrecordedSteps } from "../pipeline/unrecorded-steps.ts";
import type { Registry } from "../registry/registry.ts";
import { openRequestsOf } from "./answers.ts";
import type { NewSteps } from "./options.ts";
import { type ParentContextParts, principalOf } from "./parent-context.ts";
import type { StoreLink } from "./store-link.ts";
import { type Ticket, type TurnOptions, type TurnOutcome, textOfCalls } from "./turn.ts";

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
  readonly parentContext: ParentContextParts;
  /** Ends what the session shares with others while it is open. */
  readonly release: () => void;
  /** Disposes the tools that belong to this session alone. */
  readonly disposeTools: () => Promise<void>;
  readonly approvalSecret: string | undefined;
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
}

/** Runs the calls of a turn: a new one, or one that is resumed. */
export async function runTurn(
  calls: readonly ToolCall[],
  begun: BegunTurn,
  parts: SessionParts,
): Promise<TurnOutcome> {
  await parts.prepare();
  const turn = openTurn(begun, parts);
  try {
    for (const { arguments: args, refusedAt } of begun.record?.done.values() ?? []) {
      if (refusedAt === undefined) turn.budget?.charge(args.text);
    }
    return await runCalls(calls, turn, { options: begun.options }, parts);
  } finally {
    releaseTurn(turn);
  }
}

/** Evaluates a call. What is not allowed is recorded as a turn: one that waits, or one whose call is refused. */
export async function proposeCall(call: ToolCall, begun: BegunTurn, parts: SessionParts): Promise<Ticket> {
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
    return ticketOf(call, decided, outcome);
  } finally {
    releaseTurn(turn);
  }
}

function ticketOf(call: ToolCall, decided: AuthorizedCall | Refused, outcome: TurnOutcome): Ticket {
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
  { strategy, journal }: SessionParts,
): Promise<TurnOutcome> {
  const { id, record } = turn;
  const { recorder, sessionId, ports } = turn.runtime;
  const { pending } = ports;
  if (record === undefined)
    recorder.write(id, {
      type: "turn-start",
      calls: calls.map(({ id: call, name }) => ({ id: call, name })),
    });
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
    return { id, status: "done", results: outcome.results, requests: [], messages };
  }
  if (!isKept) await pending.put(kept, textOfCalls(calls));
  recorder.write(id, { type: "turn-park", waiting: outcome.waitingFor });
  await recorder.flush();
  return { id, status: "waiting", results, requests: await openRequestsOf(journal, id), messages };
}

export function openTurn(
  { id, canPark, isDeferred = false, within, options, record }: BegunTurn,
  { registry, runtime, newBudget, newSteps, principal }: SessionParts,
): Turn {
  const cancellation = options?.signal === undefined ? within : within.child(options.signal);
  return {
    id,
    runtime,
    tools: registry.view(),
    steps: newSteps(id, { cancellation, record, isDeferred }),
    cancellation,
    principal: options?.principal === undefined ? principal : principalOf(options.principal, principal),
    budget: options?.budget ?? newBudget?.(),
    timeoutMs: options?.timeoutMs,
    canPark,
    inside: undefined,
    record,
  };
}

export function releaseTurn({ tools, cancellation }: Turn): void {
  tools.release();
  cancellation.release();
}
