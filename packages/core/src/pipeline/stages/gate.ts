import type { Arguments } from "../../contract/policy/policy-call.ts";
import type { Gate, GatedCall, GateVerdict } from "../../contract/stages/call.ts";
import type { Redactor } from "../../contract/store/store.ts";
import { errorText } from "../../contract/values/error.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import { inTime } from "../../policy/rules/promises.ts";
import { newMark } from "../../redaction/new-mark.ts";
import { failure } from "../../results/runtime-failure.ts";
import { LateFields } from "../turn/late-fields.ts";
import { shownArguments } from "../turn/shown-value.ts";
import { type Awaitable, type Halted, pass, type QueuedCall, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { approveChanged } from "./approve.ts";
import { reevaluateWith } from "./evaluate-call.ts";
import { requeue } from "./queue.ts";

/** Asks the host application's gates. A gate may skip the call, or change its arguments once; it cannot allow anything. */
export function gate(call: QueuedCall, turn: Turn): Awaitable<QueuedCall | Halted> {
  const verdict = turn.steps.replayed === undefined ? askGates(call, turn) : recordedVerdict(call, turn);
  if (verdict === true) return call;
  return verdict instanceof Promise
    ? verdict.then((late) => afterVerdict(call, late, turn))
    : afterVerdict(call, verdict, turn);
}

/** `isYes` says which answers let the next gate be asked. */
function askGates(call: QueuedCall, turn: Turn, isYes = isTrue): Awaitable<GateVerdict> {
  const { gates } = turn.runtime.hooks;
  if (gates.length === 0) return true;
  const shown = LateFields.shown(new ShownCall(call, turn.runtime.redactor));
  return askFrom(0, { gates, call, shown, isYes }, turn);
}

/** With its secrets replaced, if a gate looks at its arguments. */
class ShownCall extends LateFields implements GatedCall {
  readonly #call: QueuedCall;
  readonly #redactor: Redactor;
  #args: Arguments | undefined;

  constructor(call: QueuedCall, redactor: Redactor) {
    super();
    this.#call = call;
    this.#redactor = redactor;
  }

  protected names(): readonly (keyof GatedCall)[] {
    return ["toolName", "callId", "args"];
  }

  get toolName(): string {
    return this.#call.found.name;
  }

  get callId(): string {
    return this.#call.id;
  }

  get args(): Arguments {
    this.#args ??= shownArguments(this.#call, this.#redactor);
    return this.#args;
  }
}

interface Round {
  readonly gates: readonly Gate[];
  readonly call: QueuedCall;
  readonly shown: GatedCall;
  readonly isYes: (verdict: GateVerdict) => boolean;
}

/** In the order of registration; the first that does not agree has said what happens. */
function askFrom(index: number, round: Round, turn: Turn): Awaitable<GateVerdict> {
  for (let at = index; at < round.gates.length; at += 1) {
    const verdict = askOne(round.gates[at] as Gate, round, turn);
    if (verdict instanceof Promise) {
      return verdict.then((late) => (round.isYes(late) ? askFrom(at + 1, round, turn) : late));
    }
    if (!round.isYes(verdict)) return verdict;
  }
  return true;
}

function isTrue(verdict: GateVerdict): boolean {
  return verdict === true;
}

function rawCall({ found, id, args }: QueuedCall): GatedCall {
  return { toolName: found.name, callId: id, args };
}

function askOne(asked: Gate, round: Round, turn: Turn): Awaitable<GateVerdict> {
  const failed = (error: unknown): GateVerdict => ({
    skip: `The gate ${asked.name} failed: ${errorText(error)}`,
  });
  try {
    if (asked.before === undefined) return true;
    const verdict = asked.before(asked.raw === true ? rawCall(round.call) : round.shown);
    if (!(verdict instanceof Promise)) return known(verdict, asked, round);
    return inTime(verdict, turn.runtime.limits.gateTimeoutMs).then(
      (late) => known(late, asked, round),
      failed,
    );
  } catch (error) {
    return failed(error);
  }
}

/** What is none of the known answers is no. So are arguments in which a mark stands for a secret. */
function known(verdict: GateVerdict, asked: Gate, { call }: Round): GateVerdict {
  if (typeof verdict === "boolean") return verdict;
  if (typeof verdict !== "object" || verdict === null || !("skip" in verdict || "arguments" in verdict))
    return { skip: `The gate ${asked.name} gave an unknown answer.` };
  const mark =
    "arguments" in verdict ? newMark(JSON.stringify(verdict.arguments) ?? "", call.argsText) : undefined;
  if (mark === undefined) return verdict;
  return {
    skip: `The gate ${asked.name} changed arguments with ${mark} in them, which stands for a secret. A gate that changes such a call needs \`raw: true\`.`,
  };
}

function recordedVerdict(call: QueuedCall, turn: Turn): GateVerdict {
  return (turn.steps.replayed?.(`${call.id}/gate`) as GateVerdict | undefined) ?? true;
}

function afterVerdict(call: QueuedCall, verdict: GateVerdict, turn: Turn): Awaitable<QueuedCall | Halted> {
  if (verdict === true) return call;
  note(`${call.id}/gate`, verdict, turn);
  if (verdict === false) return skipped(call, SKIPPED);
  return "skip" in verdict ? skipped(call, verdict.skip) : rewritten(call, verdict.arguments, turn);
}

/** What was not a plain yes is recorded, so that a replay does the same. */
function note(id: string, verdict: GateVerdict, turn: Turn): void {
  if (turn.steps.replayed !== undefined) return;
  const { redactor, recorder } = turn.runtime;
  const value = new JsonText(redactor.redactJson(JSON.stringify(verdict)));
  recorder.write(turn.id, { type: "step-end", id, value });
}

/** Earlier approvals are void: the changed call is checked, decided and, if need be, asked for again. */
function rewritten(
  call: QueuedCall,
  args: Readonly<Record<string, unknown>>,
  turn: Turn,
): Awaitable<QueuedCall | Halted> {
  const requeued = pass(reevaluateWith(call, args, turn), (today) => requeue(today, call.lock, turn), turn);
  return pass(pass(requeued, approveChanged, turn), gateAgain, turn);
}

/** A gate changes a call once. What it says of its own change is a yes; any other change is one too many. */
function gateAgain(call: QueuedCall, turn: Turn): Awaitable<QueuedCall | Halted> {
  if (turn.steps.replayed !== undefined) {
    return finalVerdict(
      call,
      (turn.steps.replayed(`${call.id}/gate-again`) as GateVerdict | undefined) ?? true,
    );
  }
  const evaluated = (verdict: GateVerdict) => {
    const final = finalVerdict(call, verdict);
    if (final instanceof Refused) note(`${call.id}/gate-again`, { skip: final.failure.message }, turn);
    return final;
  };
  const verdict = askGates(call, turn, (said) => said === true || changesNothing(said, call));
  return verdict instanceof Promise ? verdict.then(evaluated) : evaluated(verdict);
}

function changesNothing(verdict: GateVerdict, call: QueuedCall): boolean {
  return (
    typeof verdict === "object" &&
    "arguments" in verdict &&
    JSON.stringify(verdict.arguments) === call.argsText
  );
}

function finalVerdict(call: QueuedCall, verdict: GateVerdict): QueuedCall | Refused {
  if (verdict === true) return call;
  if (verdict === false) return skipped(call, SKIPPED);
  if ("skip" in verdict) return skipped(call, verdict.skip);
  return skipped(call, "The gates do not agree on its arguments.");
}

const SKIPPED = "A hook skipped this call.";

function skipped(call: QueuedCall, reason: string): Refused {
  return new Refused("gate", failure("skipped", reason), call);
}
