import type { ToolResult } from "../contract/call/result.ts";
import type { AuthorizedCall, ToolCall } from "../contract/stages/call.ts";
import type { Message } from "../contract/store/steps.ts";
import { FAILURE_MESSAGES, failure } from "../results/runtime-failure.ts";
import { performCall, prepareCall, refuse } from "./run-call.ts";
import type { BatchPosition } from "./stages/approval/approval-request.ts";
import { approve, forgetPending } from "./stages/approve.ts";
import { authorize } from "./stages/authorize.ts";
import { queue } from "./stages/queue.ts";
import { type Awaitable, type Halted, Parked, pass, type QueuedCall, Refused } from "./turn/stage.ts";
import type { Turn } from "./turn/turn.ts";

/** How the calls of one turn follow each other. */
export type Strategy = "sequential" | "parallel" | { readonly batched: number };

/** How a batch ended, before the session adds what it knows. */
export type BatchOutcome =
  | {
      readonly status: "done";
      readonly results: readonly ToolResult[];
      readonly messages: readonly Message[];
    }
  | {
      readonly status: "waiting";
      /** The ids of the requests that wait for an answer. */
      readonly waitingFor: readonly string[];
      readonly results: readonly (ToolResult | undefined)[];
      readonly messages: readonly Message[];
    };

/** One call of the batch on its way. */
type Entry =
  | { readonly kind: "settled"; readonly result: ToolResult }
  | { readonly kind: "same-as"; readonly index: number }
  | {
      readonly kind: "queued";
      readonly queued: QueuedCall;
      readonly approved: Awaitable<QueuedCall | Halted>;
    };

/** What a batch is run with. */
export interface BatchOptions {
  readonly strategy: Strategy;
  /** The evaluation of a call, where it was made before. */
  readonly evaluated?: AuthorizedCall | Halted;
}

/** Runs the calls of one turn. A call that fails does not affect the others. */
export async function runBatch(
  calls: readonly ToolCall[],
  turn: Turn,
  options: BatchOptions,
): Promise<BatchOutcome> {
  const { strategy } = options;
  const prepared = await decidedTogether(calls, turn, options);
  // All requests are raised before anything runs, so that a person sees them together.
  const size = prepared.filter(isAsking).length;
  let asked = 0;
  let before = Promise.resolve();
  const entries = prepared.map((entry) => {
    if (entry instanceof Refused || "kind" in entry) return entry;
    if (!isAsking(entry)) return ask(entry, turn);
    const { promise, resolve: raised } = Promise.withResolvers<void>();
    const position = { index: asked, size, before, raised };
    before = promise;
    asked += 1;
    return ask(entry, turn, position);
  });
  const ended: (ToolResult | Parked | undefined)[] = [];
  const messages: Message[] = [];
  for (const [from, to] of groups(entries.length, strategy)) {
    const isSteered = messages.length > 0;
    const isBlocked = strategy !== "parallel" && ended.some((one) => one instanceof Parked);
    const group = entries.slice(from, to).map((entry) => {
      if (isBlocked && !(entry instanceof Refused) && entry.kind === "queued") return leave(entry, turn);
      const ending = isSteered ? skip(entry, turn) : finish(entry, turn);
      return turn.spans === undefined ? ending : turn.spans.until(idOf(entry), ending);
    });
    ended.push(...(await Promise.all(group)));
    messages.push(...(await turn.steps.inbox()));
  }
  return outcome(entries, ended, messages);
}

/** A later call may make a watchdog ask about an earlier one: the person sees that in the first request. */
async function decidedTogether(
  calls: readonly ToolCall[],
  turn: Turn,
  options: BatchOptions,
): Promise<(Entry | QueuedCall | Refused)[]> {
  const { sessionState } = turn.runtime;
  const before = sessionState.taintCount;
  const prepared = await prepareAll(calls, turn, options);
  if (calls.length === 1 || sessionState.taintCount === before) return prepared;
  return Promise.all(
    prepared.map((entry) => (isAsking(entry) ? askedAnew(entry as QueuedCall, turn) : entry)),
  );
}

async function askedAnew(queued: QueuedCall, turn: Turn): Promise<QueuedCall | Refused> {
  const today = await authorize(queued, turn);
  if (today instanceof Parked) throw new TypeError("A call cannot park before it is decided.");
  if (!(today instanceof Refused)) return { ...queued, decision: today.decision };
  queued.lock.release();
  return today;
}

async function prepareAll(
  calls: readonly ToolCall[],
  turn: Turn,
  { evaluated }: BatchOptions,
): Promise<(Entry | QueuedCall | Refused)[]> {
  const prepared: (Entry | QueuedCall | Refused)[] = [];
  const seen = new Map<string, { readonly index: number; readonly call: ToolCall }>();
  for (const [index, call] of calls.entries()) {
    const twin = seen.get(call.id);
    seen.set(call.id, twin ?? { index, call });
    const known = twin === undefined ? recalled(call, turn) : sameAs(call, twin);
    if (known !== undefined) {
      prepared.push(known);
      continue;
    }
    turn.spans?.begin(call);
    const queued = await pass(evaluated ?? prepareCall(call, turn), queue, turn);
    if (queued instanceof Parked) throw new TypeError("A call cannot park before it is asked for.");
    prepared.push(queued);
  }
  return prepared;
}

/** A call that this turn settled in an earlier process is not made again. */
function recalled(call: ToolCall, turn: Turn): Entry | Refused | undefined {
  const done = turn.record?.done.get(call.id);
  if (done === undefined) return undefined;
  const isSame = done.toolName === call.name || done.toolName === turn.tools.get(call.name)?.name;
  return isSame ? { kind: "settled", result: done.result } : duplicate(call);
}

function sameAs(call: ToolCall, twin: { readonly index: number; readonly call: ToolCall }): Entry | Refused {
  const isSame = call.name === twin.call.name && textOf(call.arguments) === textOf(twin.call.arguments);
  return isSame ? { kind: "same-as", index: twin.index } : duplicate(call);
}

function duplicate(call: ToolCall): Refused {
  const message = `The call id ${JSON.stringify(call.id)} was used before in this turn, for another call.`;
  return new Refused("admit", failure("duplicate_call", message, "Give every call an id of its own."), {
    request: call,
  });
}

function isAsking(entry: Entry | QueuedCall | Refused): boolean {
  return !(entry instanceof Refused) && "decision" in entry && entry.decision.action === "ask";
}

function idOf(entry: Entry | Refused): string {
  if (entry instanceof Refused) return entry.call.id;
  return entry.kind === "queued" ? entry.queued.id : "";
}

function ask(queued: QueuedCall, turn: Turn, position?: BatchPosition): Entry {
  return { kind: "queued", queued, approved: approve(queued, turn, position) };
}

function finish(entry: Entry | Refused, turn: Turn): Promise<ToolResult | Parked> | ToolResult | undefined {
  if (entry instanceof Refused) return refuse(entry, turn);
  if (entry.kind === "settled") return entry.result;
  return entry.kind === "queued" ? performCall(entry.queued, entry.approved, turn) : undefined;
}

/** The person said something meanwhile: what has not begun does not begin. */
async function skip(entry: Entry | Refused, turn: Turn): Promise<ToolResult | Parked | undefined> {
  if (entry instanceof Refused || entry.kind !== "queued") return finish(entry, turn);
  entry.queued.lock.release();
  turn.steps.withdraw(entry.queued.id);
  await forgetPending(entry.queued.id, turn);
  return refuse(
    new Refused("execute", failure("skipped", FAILURE_MESSAGES.skippedBySteering), entry.queued),
    turn,
  );
}

/** An earlier call waits for a person, and the strategy says that this one comes after it. */
async function leave(entry: Entry & { kind: "queued" }, { spans }: Turn): Promise<Parked> {
  const { queued } = entry;
  queued.lock.release("abandoned");
  const approved = await entry.approved;
  const parked = approved instanceof Parked ? approved : new Parked(queued.id);
  return spans === undefined ? parked : spans.until(queued.id, parked);
}

function outcome(
  entries: readonly (Entry | Refused)[],
  ended: readonly (ToolResult | Parked | undefined)[],
  messages: readonly Message[],
): BatchOutcome {
  const settled = entries.map((entry, index) => {
    const one = ended[!(entry instanceof Refused) && entry.kind === "same-as" ? entry.index : index];
    return one instanceof Parked ? undefined : one;
  });
  if (settled.every((result) => result !== undefined)) return { status: "done", results: settled, messages };
  const waitingFor = ended.flatMap((one) =>
    one instanceof Parked && one.waitingFor !== undefined ? [one.waitingFor] : [],
  );
  return { status: "waiting", waitingFor, results: settled, messages };
}

/** The first and last of each group that runs together. */
function groups(length: number, strategy: Strategy): [number, number][] {
  const size =
    strategy === "parallel" ? length : strategy === "sequential" ? 1 : Math.max(1, strategy.batched);
  const out: [number, number][] = [];
  for (let from = 0; from < length; from += size) out.push([from, Math.min(length, from + size)]);
  return out;
}

function textOf(args: ToolCall["arguments"]): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}
