import type { Gate, GatedCall, GateVerdict } from "../contract/hooks.ts";
import { JsonText } from "../contract/json-text.ts";
import { failure } from "../results/runtime-failure.ts";
import { approve } from "./approve.ts";
import { authorize } from "./authorize.ts";
import { check } from "./check.ts";
import { confine } from "./confine.ts";
import { foresee } from "./foresee.ts";
import { requeue } from "./queue.ts";
import { type Awaitable, type Halted, pass, type QueuedCall, Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** The embedder's last word. It may skip the call, or change its arguments once; it cannot allow anything. */
export function gate(call: QueuedCall, turn: Turn): Awaitable<QueuedCall | Halted> {
  const verdict = turn.steps.replayed === undefined ? askGates(call, turn) : recordedVerdict(call, turn);
  if (verdict === true) return call;
  return verdict instanceof Promise
    ? verdict.then((late) => afterVerdict(call, late, turn))
    : afterVerdict(call, verdict, turn);
}

function askGates(call: QueuedCall, turn: Turn): Awaitable<GateVerdict> {
  const { gates } = turn.runtime.hooks;
  if (gates.length === 0) return true;
  const asked: GatedCall = { toolName: call.found.name, callId: call.id, args: call.args };
  return askFrom(0, gates, asked, turn);
}

/** In the order of registration; the first that does not simply agree has said what happens. */
function askFrom(index: number, gates: readonly Gate[], call: GatedCall, turn: Turn): Awaitable<GateVerdict> {
  for (let at = index; at < gates.length; at += 1) {
    const asked = gates[at] as Gate;
    const verdict = askOne(asked, call, turn);
    if (verdict instanceof Promise) {
      return verdict.then((late) => (late === true ? askFrom(at + 1, gates, call, turn) : late));
    }
    if (verdict !== true) return verdict;
  }
  return true;
}

function askOne(asked: Gate, call: GatedCall, turn: Turn): Awaitable<GateVerdict> {
  const failed = (error: unknown): GateVerdict => ({
    skip: `The gate ${asked.name} failed: ${error instanceof Error ? error.message : String(error)}`,
  });
  try {
    const verdict = asked.before?.(call) ?? true;
    if (!(verdict instanceof Promise)) return verdict;
    return inTime(verdict, turn.runtime.settings.gateTimeoutMs).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function recordedVerdict(call: QueuedCall, turn: Turn): GateVerdict {
  return (turn.steps.replayed?.(`${call.id}/gate`) as GateVerdict | undefined) ?? true;
}

function afterVerdict(call: QueuedCall, verdict: GateVerdict, turn: Turn): Awaitable<QueuedCall | Halted> {
  if (verdict === true) return call;
  note(call, verdict, turn);
  if (verdict === false) return skipped(call, "A hook skipped this call.");
  return "skip" in verdict ? skipped(call, verdict.skip) : rewritten(call, verdict.arguments, turn);
}

/** What was not a plain yes is recorded, so that a replay does the same. */
function note(call: QueuedCall, verdict: GateVerdict, turn: Turn): void {
  if (turn.steps.replayed !== undefined) return;
  const { redactor, recorder } = turn.runtime;
  const value = new JsonText(redactor.redact(JSON.stringify(verdict)));
  recorder.write(turn.id, { type: "step-end", id: `${call.id}/gate`, value });
}

/** Earlier approvals are void: the changed call is checked, decided and, if need be, asked for again. */
function rewritten(
  call: QueuedCall,
  args: Readonly<Record<string, unknown>>,
  turn: Turn,
): Awaitable<QueuedCall | Halted> {
  const request = { id: call.id, name: call.request.name, arguments: args };
  const checked = check({ id: call.id, request, found: call.found });
  const authorized = pass(pass(pass(checked, foresee, turn), confine, turn), authorize, turn);
  return pass(
    pass(authorized, (today) => requeue(today, call.place), turn),
    approve,
    turn,
  );
}

function skipped(call: QueuedCall, reason: string): Refused {
  return new Refused("gate", failure("skipped", reason), call);
}

async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
