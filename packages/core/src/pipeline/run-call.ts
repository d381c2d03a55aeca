import type { ToolResult } from "../contract/call/result.ts";
import type { AuthorizedCall, ToolCall } from "../contract/stages/call.ts";
import { OutcomeUnknown } from "../contract/store/steps.ts";
import { defined } from "../contract/values/defined.ts";
import { JsonText } from "../contract/values/json-text.ts";
import { failedResult, failure } from "../results/runtime-failure.ts";
import { redactEffects } from "./record/redact-effects.ts";
import { approve, forgetPending } from "./stages/approve.ts";
import { nameOf } from "./stages/authorize.ts";
import { evaluateCall } from "./stages/evaluate-call.ts";
import { type Executed, execute } from "./stages/execute.ts";
import { gate } from "./stages/gate.ts";
import { queue } from "./stages/queue.ts";
import { reserve } from "./stages/reserve.ts";
import { reportCrash } from "./turn/report-crash.ts";
import type { RunningCall } from "./turn/running-call.ts";
import { type Awaitable, type Halted, Parked, pass, type QueuedCall, Refused } from "./turn/stage.ts";
import type { Turn } from "./turn/turn.ts";

/** The life of a call, from the model's request to the record of what came of it. Never throws for what a model did. */
export function runCall(request: ToolCall, turn: Turn): Promise<ToolResult | Parked> {
  if (turn.spans === undefined) return runStages(request, turn);
  turn.spans.begin(request, turn.inside?.running.call.id);
  return turn.spans.until(request.id, runStages(request, turn));
}

function runStages(request: ToolCall, turn: Turn): Promise<ToolResult | Parked> {
  const queued = pass(prepareCall(request, turn), queue, turn);
  return queued instanceof Promise ? queued.then((late) => afterQueue(late, turn)) : afterQueue(queued, turn);
}

/** The first half: everything that can be said before a person is asked and anything is done. */
export function prepareCall(
  request: ToolCall,
  turn: Turn,
  evaluate = evaluateCall,
): Awaitable<AuthorizedCall | Halted> {
  try {
    const decided = evaluate(request, turn);
    return decided instanceof Promise ? unlessBroken(decided, request, turn) : decided;
  } catch (error) {
    return broken(request, error, turn);
  }
}

/** Whatever breaks on the way is a refusal of this call. */
function unlessBroken<Call>(
  passing: Promise<Call | Halted>,
  request: ToolCall,
  turn: Turn,
): Promise<Call | Halted> {
  return passing.catch((error: unknown) => broken(request, error, turn));
}

/** A tool, a schema or a policy threw where it must not. The details are for its makers. */
function broken(request: ToolCall, error: unknown, turn: Turn): Refused {
  if (turn.steps.replayed !== undefined) throw error;
  reportCrash({ id: request.id, toolName: request.name }, error, turn);
  const message = `${request.name} broke before it began. Its makers can find the details in the journal.`;
  return new Refused("validate", failure("tool_crashed", message), { request });
}

function afterQueue(queued: QueuedCall | Halted, turn: Turn): Promise<ToolResult | Parked> {
  if (queued instanceof Refused) return refuse(queued, turn);
  if (queued instanceof Parked) return Promise.resolve(queued);
  return performCall(queued, approve(queued, turn), turn);
}

/** The second half: pay, act, record. Releases the lock ticket, however it ends. */
export function performCall(
  queued: QueuedCall,
  approved: Awaitable<QueuedCall | Halted>,
  turn: Turn,
): Promise<ToolResult | Parked> {
  let gated: Awaitable<QueuedCall | Halted>;
  try {
    gated = pass(pass(approved, reserve, turn), gate, turn);
  } catch (error) {
    gated = broken(queued.request, error, turn);
  }
  return gated instanceof Promise ? actLater(queued, gated, turn) : act(queued, gated, turn);
}

async function actLater(
  queued: QueuedCall,
  gated: Promise<QueuedCall | Halted>,
  turn: Turn,
): Promise<ToolResult | Parked> {
  return act(queued, await unlessBroken(gated, queued.request, turn), turn);
}

async function act(queued: QueuedCall, gated: QueuedCall | Halted, turn: Turn): Promise<ToolResult | Parked> {
  let ended: Executed | undefined;
  try {
    ended =
      gated instanceof Refused || gated instanceof Parked ? gated : await execute(gated, turn, runNested);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    ended = new Refused("execute", OUTCOME_UNKNOWN, queued);
  } finally {
    queued.lock.release(ended === undefined || ended instanceof Parked ? "abandoned" : "done");
  }
  if (!(ended instanceof Parked) && wasAsked(queued, gated)) await forgetPending(queued.id, turn);
  if (ended instanceof Refused) return refuse(ended, turn);
  return ended;
}

function wasAsked(queued: QueuedCall, gated: QueuedCall | Halted): boolean {
  if (queued.decision.action === "ask" || gated instanceof Refused) return true;
  return !(gated instanceof Parked) && gated.decision.layer === "approver";
}

/** It may have run, and may not run twice. */
export const OUTCOME_UNKNOWN = failure(
  "outcome_unknown",
  "Interrupted: outcome unknown.",
  "Find out whether it happened before you try again.",
);

/** A call inside a call takes the same way; it does not wait for the locks its caller holds. */
async function runNested(request: ToolCall, running: RunningCall): Promise<ToolResult> {
  const { turn, call } = running;
  const done = turn.record?.done.get(request.id);
  if (done !== undefined) return done.result;
  const cancellation = turn.cancellation.child(running.abortSignal);
  const { open } = turn.runtime;
  let result: ToolResult | Parked;
  // Its caller may be stopped before it: closing the session waits for both.
  open.begin();
  try {
    result = await runCall(request, { ...turn, cancellation, inside: { running, lock: call.lock } });
  } finally {
    open.end();
    cancellation.release();
  }
  if (!(result instanceof Parked)) return result;
  running.park(result.waitingFor ?? result.callId);
  return new Promise<never>(() => {});
}

/** Records a call that never began, and gives the model the reason. */
export async function refuse(refused: Refused, turn: Turn): Promise<ToolResult> {
  const { call, found, stage } = refused;
  const { recorder, redactor, sessionState } = turn.runtime;
  // The other call with its id may still begin.
  if (refused.failure.code !== "duplicate_call") sessionState.drop(call, turn.id);
  const subject = { id: call.id, toolName: call.name };
  const raw = JSON.stringify(
    failedResult(found === undefined ? subject : { ...subject, origin: found.origin }, refused.failure),
  );
  const text = redactor.redactJson(raw);
  recorder.write(turn.id, {
    type: "call-refuse",
    callId: call.id,
    tool: redactor.redact(call.name),
    ...(found === undefined ? {} : { origin: found.originName }),
    stage,
    code: refused.failure.code,
    arguments: argumentsOf(refused, turn),
    ...(refused.effects === undefined ? {} : { effects: redactEffects(refused.effects, redactor) }),
    ...defined({
      taint: refused.taint,
      facts: refused.facts,
      shadow: refused.shadow,
      ruleAt: refused.deniedBy?.at,
    }),
    ...(refused.deniedBy === undefined ? {} : { deniedBy: nameOf(refused.deniedBy) }),
    result: new JsonText(text),
  });
  await recorder.flush();
  return Object.freeze(JSON.parse(text) as ToolResult);
}

/** As far as they could be read; a text that is not JSON is kept as a text. */
function argumentsOf({ call, argsText }: Refused, turn: Turn): JsonText {
  const { redactor } = turn.runtime;
  if (argsText !== undefined) return new JsonText(redactor.redactJson(argsText));
  try {
    return new JsonText(redactor.redactJson(JSON.stringify(call.arguments) ?? "null"));
  } catch {
    return new JsonText("null");
  }
}
