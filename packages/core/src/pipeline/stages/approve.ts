import type { ApprovalAnswer, ApprovalRequest } from "../../contract/approval/approval.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { Decision } from "../../contract/policy/decision.ts";
import type { AuthorizedCall, ScopedCall } from "../../contract/stages/call.ts";
import { TurnParked } from "../../contract/store/steps.ts";
import { errorText } from "../../contract/values/error.ts";
import { keptText, readKept } from "../../policy/approvals/call-digest.ts";
import { failure } from "../../results/runtime-failure.ts";
import { redactRequest } from "../steps/in-process-steps.ts";
import { type Awaitable, type Halted, Parked, pass, type QueuedCall, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { type Ask, approvalRequest, type BatchPosition, bindingOf } from "./approval/approval-request.ts";
import { isHelpful, remember } from "./approval/remember.ts";
import { approvalsMissing } from "./approval/signed-approvals.ts";
import { denied } from "./authorize.ts";
import { reevaluateCall, reevaluateWith } from "./evaluate-call.ts";
import { requeue } from "./queue.ts";

const ALONE: BatchPosition = { index: 0, size: 1 };

/** Asks for approval where the policy wants it. An allowed call passes at once. */
export function approve(
  call: QueuedCall,
  turn: Turn,
  position: BatchPosition = ALONE,
): Awaitable<QueuedCall | Halted> {
  return call.decision.action === "allow" ? call : askFor(call, { id: call.id, position }, turn);
}

/** Asks again for a call that a gate changed: an earlier answer does not apply. */
export function approveChanged(call: QueuedCall, turn: Turn): Awaitable<QueuedCall | Halted> {
  return call.decision.action === "allow"
    ? call
    : askFor(call, { id: changedId(call.id), position: ALONE }, turn);
}

/** Never rejects: it may be awaited much later than it was started. */
async function askFor(
  call: QueuedCall,
  { id: askId, position }: Ask,
  turn: Turn,
): Promise<QueuedCall | Halted> {
  const { pending } = turn.runtime.ports;
  const pendingKey = keyOf(askId, turn);
  // A tool that calls other tools is in the middle of its work, and only some can be run again from the start.
  const isMidway = turn.inside !== undefined && !turn.inside.running.call.found.tool.resumable;
  const impossible = impossibleNeed(call, turn);
  if (impossible !== undefined) return impossible;
  turn.inside?.running.pause();
  try {
    const isAsked = turn.record?.asked.has(askId) === true;
    const kept = isAsked
      ? readKept(await pending.get(pendingKey))
      : { argsText: call.argsText, salt: turn.steps.uuid() };
    const ask: Ask = { id: askId, position, salt: kept?.salt };
    const request = await requestOrRefusal(call, ask, turn);
    if (request instanceof Refused) return request;
    if (kept?.argsText !== call.argsText) return denied(call, OTHER_CALL, turn);
    // The call was evaluated a moment ago. If the answer is on record, no time passes before it is used.
    const isCurrent = turn.record?.answers.has(askId) === true;
    await pending.put(pendingKey, keptText(kept));
    await position.before;
    const asking = turn.steps.park<ApprovalAnswer>("approval", askId, request, isMidway || !turn.canPark);
    const parked = turn.spans?.waitForPerson(call.id, "approval", asking) ?? asking;
    position.raised?.();
    const answer = await turn.cancellation.race(parked);
    if (answer === "cancelled") return new Refused("authorize", failure("cancelled", "Cancelled"), call);
    const asked = { ...call, digest: request.binding.arguments };
    return await afterAnswer(
      request.mayRemember ? asked : neverRemembered(asked),
      { ...ask, isCurrent, shown: shownRequest(request, askId, turn) },
      answer,
      turn,
    );
  } catch (reason) {
    if (reason instanceof TurnParked) return new Parked(call.id, reason.waitingFor);
    const why = `Denied: the approver failed (${errorText(reason)}).`;
    return denied(call, refusal("failed", why), turn);
  } finally {
    position.raised?.();
    turn.inside?.running.resume();
  }
}

/** A call that needs approvers who do not exist, or cannot be told apart from the requester, is denied at once. */
function impossibleNeed(call: QueuedCall, turn: Turn): Refused | undefined {
  const { needs } = call.decision;
  if (needs === undefined) return undefined;
  const why = turn.runtime.signedApprovals.impossible(needs, turn.principal.user);
  if (why === undefined) return undefined;
  const reason = `Denied: no approver can approve this call: ${why}.`;
  return denied(call, refusal("no approvers", reason), turn);
}

/**
 * The request as it was shown, in an earlier process or in this one: what answers are bound to. Which request it is and
 * what a person reads of it is worked out here, and not taken from a store that others may write to.
 */
function shownRequest(request: ApprovalRequest, askId: string, { record, runtime }: Turn): ApprovalRequest {
  const made = redactRequest(request, runtime.redactor) as ApprovalRequest;
  const shown = record?.asked.get(askId);
  if (shown === undefined || !("binding" in shown)) return made;
  const { id, sessionId, callId, lines } = made;
  return { ...shown, id, sessionId, callId, lines };
}

/** What a person could not read as a whole is approved once only. */
function neverRemembered(call: QueuedCall): QueuedCall {
  return { ...call, decision: { ...call.decision, neverRemember: true } };
}

/** The call is settled: its raw arguments are not needed any more. */
export async function forgetPending(callId: string, turn: Turn): Promise<void> {
  const { pending } = turn.runtime.ports;
  for (const askId of askIdsOf(callId)) {
    await pending.delete(keyOf(askId, turn));
    await pending.delete(`${keyOf(askId, turn)}/edit`);
  }
}

/** Everything that may be asked about one call: as it was made, as a gate changed it, and each again. */
function askIdsOf(callId: string): readonly string[] {
  return [callId, changedId(callId)].flatMap((askId) => [askId, againId(askId)]);
}

function keyOf(askId: string, turn: Turn): string {
  return `${turn.runtime.sessionId}/${turn.id}/${askId}`;
}

function changedId(callId: string): string {
  return `${callId}/changed`;
}

function againId(askId: string): string {
  return `${askId}/again`;
}

async function requestOrRefusal(call: QueuedCall, ask: Ask, turn: Turn): Promise<ApprovalRequest | Refused> {
  try {
    return await approvalRequest(call, ask, turn);
  } catch (error) {
    const isMeant = ToolFailure.isInstance(error);
    if (!isMeant && turn.steps.replayed !== undefined) throw error;
    const reason = isMeant ? error.message : "the question could not be put together";
    return new Refused("authorize", failure("effects_failed", reason), call);
  }
}

/** A request that was answered. */
interface AnsweredAsk extends Ask {
  /** Whether the call was evaluated a moment ago. */
  readonly isCurrent: boolean;
  readonly shown: ApprovalRequest;
}

/** An answer may come late: it applies under the policy of this moment, and for what the person saw. */
function afterAnswer(
  call: QueuedCall,
  ask: AnsweredAsk,
  answer: ApprovalAnswer,
  turn: Turn,
): Awaitable<QueuedCall | Halted> {
  switch (answer.verdict) {
    case "once":
    case "always":
    case "rules":
      return pass(
        ask.isCurrent ? call : reevaluateCall(call, turn),
        (today: AuthorizedCall) => confirm(call, today, { ask, answer }, turn),
        turn,
      );
    case "edit":
      return pass(
        reevaluateWith(call, answer.arguments, turn),
        (today) => moved(call, today, { ask, answer }, turn),
        turn,
      );
    case "reject":
      return denied(call, rejection(answer), turn);
    default:
      return denied(call, NO_ANSWER, turn);
  }
}

async function confirm(
  call: QueuedCall,
  today: AuthorizedCall,
  { ask, answer }: { readonly ask: AnsweredAsk; readonly answer: ApprovalAnswer },
  turn: Turn,
): Promise<QueuedCall | Halted> {
  if (effectsText(call) !== effectsText(today)) {
    const reason = "Denied: what the call would do has changed since it was approved.";
    return denied(call, refusal("effects changed", reason), turn);
  }
  if (isStricter(today, ask.shown, turn)) return askAgain(call, today, ask, turn);
  if ((await approvalsMissing(today, { ...ask, answer }, turn)) !== undefined)
    return askAgain(call, today, ask, turn);
  if (answer.verdict === "rules" && !(await isHelpful(call, answer.rules, turn))) {
    return denied(call, NO_ANSWER, turn);
  }
  await remember(call, answer, turn);
  const approved = { ...call, decision: approval(answer) };
  // The question was handed on, and the answer is not known here: it settles nothing.
  if (answer.verdict === "once" && answer.isElsewhere === true) return { ...approved, isElsewhere: true };
  turn.runtime.sessionState.approveScripts(call, turn.id);
  return approved;
}

/** Whether a watchdog or a rule asks now that did not ask in the request, or asks for another reason. */
function isStricter({ decision }: AuthorizedCall, shown: ApprovalRequest, { runtime }: Turn): boolean {
  const { action, askedBy = [], askRules = [] } = decision;
  if (action !== "ask") return false;
  const rules = new Set(shown.rules ?? []);
  return (
    askedBy.some((asker) => !shown.askedBy.includes(asker)) ||
    askRules.some((rule) => !rules.has(runtime.redactor.redact(rule)))
  );
}

/** An edit changes what rules say; who asks stays the same. */
function hasNewAsker({ decision }: AuthorizedCall, shown: ApprovalRequest): boolean {
  const { action, askedBy = [] } = decision;
  return action === "ask" && askedBy.some((asker) => !shown.askedBy.includes(asker));
}

/** The person has not seen why: the call is asked once more, and not again after that. */
function askAgain(
  call: QueuedCall,
  { decision }: AuthorizedCall,
  { id }: Ask,
  turn: Turn,
): Awaitable<QueuedCall | Halted> {
  if (id.endsWith("/again")) return denied(call, RESTLESS, turn);
  return askFor({ ...call, decision }, { id: againId(id), position: ALONE }, turn);
}

const RESTLESS = refusal("asked twice", "Denied: the reason to ask changed every time it was approved.");

/** An edit approves the edited call, unless something asks that did not ask before. */
function moved(
  call: QueuedCall,
  today: AuthorizedCall,
  { ask, answer }: { readonly ask: AnsweredAsk; readonly answer: ApprovalAnswer },
  turn: Turn,
): Awaitable<QueuedCall | Halted> {
  const edited = requeue(today, call.lock, turn);
  // An edit is not signed: the approvers of the edited call are asked.
  const isSignedOnly = today.decision.action === "ask" && today.decision.needs !== undefined;
  if (isSignedOnly || hasNewAsker(today, ask.shown)) return askAgain(edited, today, ask, turn);
  return bindingOf(edited, ask.salt).then((binding) => ({
    ...edited,
    decision: approval(answer),
    digest: binding.arguments,
  }));
}

function approval(answer: ApprovalAnswer): Decision {
  return { action: "allow", layer: "approver", matchedBy: `${answer.by ?? "approver"}, ${answer.verdict}` };
}

const OTHER_CALL = refusal("binding", "Denied: this is not the call that was asked for.");

const NO_ANSWER = refusal("no known answer", "Denied: the approver gave an unknown answer.");

function rejection({ message, by }: ApprovalAnswer & { verdict: "reject" }): Decision {
  return refusal(by ?? "approver", message ?? "Denied by the person who was asked.");
}

function refusal(matchedBy: string, reason: string): Decision {
  return { action: "deny", layer: "approver", matchedBy, reason };
}

function effectsText(call: ScopedCall): string {
  return call.effects
    .map(({ capability, target, forced }) => `${capability} ${target} ${forced === true}`)
    .toSorted()
    .join("\n");
}
