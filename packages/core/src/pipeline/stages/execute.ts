import { ToolFailure, type ToolResult } from "../../contract/call/result.ts";
import type { CallStart } from "../../contract/store/event.ts";
import type { Step } from "../../contract/store/steps.ts";
import type { Tool } from "../../contract/tool/tool.ts";
import { defined } from "../../contract/values/defined.ts";
import { errorText } from "../../contract/values/error.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import { failure } from "../../results/runtime-failure.ts";
import type { RetryLimits } from "../turn/limits.ts";
import { type Attempted, RunningCall } from "../turn/running-call.ts";
import { type Awaitable, type Halted, Parked, type QueuedCall, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { nameOf } from "./authorize.ts";
import { rememberWritten } from "./effects/carried-labels.ts";
import { CallContext, type RunNested } from "./execution/call-context.ts";
import { checkOutput } from "./execution/check-output.ts";
import { Recovery } from "./execution/recover.ts";
import { underSharedLocks } from "./execution/share-locks.ts";
import { FINAL_ERRORS, PASSING_ERRORS } from "./retried-errors.ts";
import { onSamePaths } from "./same-paths.ts";
import { type SettledResult, settle } from "./settle.ts";

/** Locks, then the tool itself: as often as it may be tried, as long as it may take. Ends with the record of it. */
export function execute(call: QueuedCall, turn: Turn, nested: RunNested): Awaitable<Executed> {
  if (call.shared !== undefined && turn.steps.replayed === undefined)
    return underSharedLocks(call, turn, () => begin(call, turn, nested));
  const waiting = call.lock.granted;
  return waiting === undefined ? begin(call, turn, nested) : whenGranted(waiting, call, turn, nested);
}

/** What came of it: a result, or why there is none. */
export type Executed = ToolResult | Halted;

async function whenGranted(
  waiting: Promise<"granted" | "abandoned">,
  call: QueuedCall,
  turn: Turn,
  nested: RunNested,
): Promise<Executed> {
  const { spans } = turn;
  const granted = spans === undefined ? waiting : spans.waitForLocks(call.id, waiting);
  const position = await turn.cancellation.race(granted);
  return position === "abandoned" ? new Parked(call.id) : begin(call, turn, nested);
}

function begin(call: QueuedCall, turn: Turn, nested: RunNested): Awaitable<Executed> {
  if (turn.cancellation.isCancelled) return new Refused("execute", failure("cancelled", "Cancelled"), call);
  call.lock.begin();
  turn.runtime.sessionState.begin(call, turn.id);
  const { tool } = call.found;
  const recovery = tool.recover === undefined ? undefined : new Recovery(call, turn, nested);
  const effect = tool.idempotent ? "idempotent" : tool.announces === true ? "announced" : "once";
  // The intent took its time to become durable: whether it was cancelled meanwhile is known only now.
  const action = (step: Step) => {
    if (turn.cancellation.isCancelled && recovery?.found === undefined) return withdrawn(call, turn);
    const running = new RunningCall(call, turn);
    const context = new CallContext(running, nested, step);
    if (turn.spans === undefined) return attempts(running, context, recovery?.found);
    return turn.spans.during(call.id, () => attempts(running, context, recovery?.found));
  };
  return recovery === undefined
    ? turn.steps.run<Executed>(call.id, effect, action)
    : turn.steps.run<Executed>(call.id, effect, action, () => recovery.findOut());
}

/** Cancelled between the intent and the tool, which therefore never began. */
function withdrawn(call: QueuedCall, turn: Turn): Refused {
  const { idempotent, announces } = call.found.tool;
  if (!idempotent && announces !== true) withdraw(call, turn);
  return new Refused("execute", failure("cancelled", "Cancelled"), call);
}

/** `found`: what the tool gave in an earlier process, which is only recorded here. */
async function attempts(
  running: RunningCall,
  context: CallContext,
  found?: Attempted,
): Promise<ToolResult | Parked> {
  const { call, turn } = running;
  const { running: runningCalls, recorder } = turn.runtime;
  started(call, turn, running.startedAt);
  runningCalls.add(running);
  let last: LastAttempt;
  try {
    const first = found ?? (await attempted(running, context, 1));
    if (found === undefined) observe(running, first, 1);
    last = mayTryAgain(running, first, 1)
      ? await tryAgain(running, context, first)
      : { ended: first, attempt: 1 };
  } finally {
    runningCalls.delete(running);
    running.finish();
  }
  const { ended, attempt } = last;
  if (ended.kind === "parked") return parked(call, turn, ended.waitingFor);
  running.flushUpdates();
  const settling = settle(ended, running, attempt, context.collected);
  const settled = settling instanceof Promise ? await settling : settling;
  const checking = checkOutput(call, settled.result, turn);
  if (checking !== undefined) await checking;
  finished(call, turn, settled);
  const remembering = rememberWritten(call, turn, running.startedAt);
  if (remembering !== undefined) await remembering;
  const flushing = recorder.flush();
  if (flushing !== undefined) await flushing;
  return settled.result;
}

interface LastAttempt {
  readonly ended: Attempted;
  readonly attempt: number;
}

async function tryAgain(running: RunningCall, context: CallContext, first: Attempted): Promise<LastAttempt> {
  const { cancellation, runtime } = running.turn;
  let last: LastAttempt = { ended: first, attempt: 1 };
  while (mayTryAgain(running, last.ended, last.attempt)) {
    await waitForRetry(running, backOff(last.attempt, runtime.limits.retry));
    if (cancellation.isCancelled) return { ...last, ended: { kind: "stopped", why: "cancelled" } };
    const attempt = last.attempt + 1;
    running.restart();
    context.restartOutput();
    last = { ended: await attempted(running, context, attempt), attempt };
    observe(running, last.ended, attempt);
  }
  return last;
}

function mayTryAgain({ call, turn, stopped }: RunningCall, ended: Attempted, attempt: number): boolean {
  return stopped === undefined && shouldRetry(call.found.tool, ended, attempt, turn.runtime.limits.retry);
}

/** Waiting is not the tool's time. */
async function waitForRetry(running: RunningCall, waitMs: number): Promise<void> {
  running.pause();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await running.turn.cancellation.race(waited);
  clearTimeout(timer);
  running.resume();
}

function attempted(running: RunningCall, context: CallContext, attempt: number): Awaitable<Attempted> {
  const { call, turn } = running;
  turn.runtime.hooks.notify("onBeforeTool", call, turn, { attempt });
  // An observer or a listener of events may have cancelled it.
  if (turn.cancellation.isCancelled) return { kind: "stopped", why: "cancelled" };
  try {
    const returned = onSamePaths(call, turn, context);
    return running.race(isAsyncIterable(returned) ? lastOf(returned, context, running) : returned);
  } catch (error) {
    return running.stopped === undefined
      ? { kind: "threw", error }
      : { kind: "stopped", why: running.stopped };
  }
}

function observe(running: RunningCall, ended: Attempted, attempt: number): void {
  running.lap();
  const { call, turn } = running;
  const { hooks } = turn.runtime;
  if (ended.kind === "parked" || !hooks.isObserved) return;
  const told = { attempt, duration: running.durationMs };
  if (ended.kind === "returned") hooks.notify("onAfterTool", call, turn, { ...told, result: ended.value });
  else {
    const error = ended.kind === "threw" ? errorText(ended.error) : ended.why;
    hooks.notify("onToolError", call, turn, { ...told, error });
  }
}

/** A tool that yields shows each value as an update; the last one is its result. */
async function lastOf(
  values: AsyncIterable<unknown>,
  context: CallContext,
  running: RunningCall,
): Promise<unknown> {
  let last: unknown;
  for await (const value of values) {
    last = value;
    if (running.isOver) break;
    context.update(value);
  }
  return last;
}

/** Secrets are replaced where it is written. */
function started(call: QueuedCall, turn: Turn, at: number): void {
  const { taint, facts, shadow, decision } = call;
  const entry: CallStart = {
    type: "call-start",
    callId: call.id,
    tool: call.found.name,
    origin: call.found.originName,
    inEvent: call.found.texts.inEvent,
    arguments: new JsonText(call.argsText),
    effects: call.effects,
    allowedBy: nameOf(decision),
  };
  const isBare = taint === undefined && facts === undefined && decision.observed === undefined;
  const isPlain = isBare && shadow === undefined && decision.at === undefined && call.digest === undefined;
  turn.runtime.recorder.writeCall(turn.id, isPlain ? entry : { ...entry, ...policyContextIn(call) }, at);
}

/** What most starts do not have. */
function policyContextIn({
  taint,
  facts,
  shadow,
  decision: { observed, at },
  digest,
}: QueuedCall): Pick<CallStart, "ruleAt" | "taint" | "facts" | "observed" | "shadow" | "digest"> {
  return defined({ digest, ruleAt: at, taint, facts, observed, shadow });
}

function finished(call: QueuedCall, turn: Turn, { result, json }: SettledResult): void {
  const { recorder, hooks, sessionState } = turn.runtime;
  if (result.labels.length > 1) sessionState.carry(result.labels);
  const entry = {
    type: "call-end",
    callId: call.id,
    tool: call.found.name,
    origin: call.found.originName,
    ok: result.ok,
    result: json,
  } as const;
  recorder.write(turn.id, entry, result.startedAt + result.durationMs);
  if (hooks.isObserved)
    hooks.afterExecution(turn, { toolName: call.found.name, callId: call.id, isError: !result.ok });
}

function parked(call: QueuedCall, turn: Turn, waitingFor: string): Parked {
  withdraw(call, turn);
  return new Parked(call.id, waitingFor);
}

/** Nothing was done yet that would be done twice: the intent is withdrawn. */
function withdraw(call: QueuedCall, turn: Turn): void {
  turn.runtime.recorder.write(turn.id, { type: "step-withdraw", id: call.id });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function shouldRetry(tool: Tool, ended: Attempted, attempt: number, limits: RetryLimits): boolean {
  if (ended.kind !== "threw" || attempt >= limits.attempts) return false;
  const code = codeOf(ended.error);
  if (code !== undefined && FINAL_ERRORS.has(code)) return false;
  if (limits.on === "any") return true;
  return tool.idempotent && (isTransient(ended.error) || (code !== undefined && PASSING_ERRORS.has(code)));
}

/** Milliseconds to wait after an attempt, with some chance in it so that many callers do not come back together. */
function backOff(attempt: number, { base, unitMs }: RetryLimits): number {
  return (base ** attempt + Math.random() * 0.5) * unitMs;
}

function isTransient(error: unknown): boolean {
  return ToolFailure.isInstance(error) && error.transient;
}

function codeOf(error: unknown): string | undefined {
  const carrier = error as
    | { readonly code?: unknown; readonly cause?: { readonly code?: unknown } }
    | null
    | undefined;
  const code = carrier?.code ?? carrier?.cause?.code;
  return typeof code === "string" ? code : undefined;
}
