import type { ApprovalRequest } from "../../../contract/approval/approval.ts";
import { treatmentOf } from "../../../contract/call/mode.ts";
import type { Rule } from "../../../contract/policy/rule.ts";
import { callDigest } from "../../../policy/approvals/call-digest.ts";
import { promptLines } from "../../../policy/approvals/prompt-lines.ts";
import { suggestRules } from "../../../policy/approvals/suggest-rules.ts";
import { approvalKey } from "../../../policy/approvers/approval-key.ts";
import { definitionFingerprint, isBoundToArguments } from "../../../policy/approvers/fingerprint.ts";
import { redactEffects } from "../../record/redact-effects.ts";
import { shownPrincipal } from "../../turn/shown-principal.ts";
import type { QueuedCall } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";
import { isHelpful } from "./remember.ts";

/** Where an ask stands among those that were raised together. */
export interface BatchPosition {
  readonly index: number;
  readonly size: number;
  /** Those before it have been put to the person. */
  readonly before?: Promise<void>;
  /** To be told when this one has. */
  readonly raised?: () => void;
}

/** One request: its id, its position among others, and the salt of the digest that it is bound to. */
export interface Ask {
  readonly id: string;
  readonly position: BatchPosition;
  readonly salt?: string | undefined;
}

/** What a person is asked: redacted, bound to this call, and in lines that are safe to print. */
export async function approvalRequest(
  call: QueuedCall,
  { id: askId, position: { index, size }, salt }: Ask,
  turn: Turn,
): Promise<ApprovalRequest> {
  const { redactor, sessionId, sessionState } = turn.runtime;
  const { found, decision } = call;
  const asked = turn.record?.asked.get(askId);
  const expiresAt = await expiryOf(call, askId, turn);
  const request = {
    id: `${turn.id}/${askId}`,
    sessionId,
    callId: call.id,
    toolName: found.name,
    label: found.tool.label,
    origin: found.origin,
    arguments: JSON.parse(redactor.redactJson(call.argsText)),
    effects: redactEffects(call.effects, redactor),
    approvalKey: redactor.redact(approvalKey(call)),
    reason: redactor.redact(decision.reason ?? decision.matchedBy),
    ...(decision.because === undefined ? {} : { because: redactor.redact(decision.because) }),
    askedBy: decision.askedBy ?? ["rules"],
    ...needsOf(call, turn),
    nonce: (asked !== undefined && "nonce" in asked ? asked.nonce : undefined) ?? turn.steps.uuid(),
    agents: sessionState.agents,
    principal: shownPrincipal(turn),
    treatment: treatmentOf(found.tool.mode),
    binding: await bindingOf(call, salt),
    suggestions: await suggestionsFor(call, askId, turn),
    ...exactRulesFor(call, askId, turn),
    context: contextFor(turn),
    batch: { id: size > 1 ? turn.id : `${turn.id}/${askId}`, index, size },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  } as const;
  const { lines, isWhole, alwaysAllows } = promptLines(
    { ...request, mayRemember: decision.neverRemember !== true },
    {
      isBoundToArguments: request.askedBy.some((asker) => isBoundToArguments(call, asker)),
      // Those who sign are others than the requester, and every process shows them the same lines.
      asked: decision.needs === undefined ? turn.runtime.ports.approver.user : undefined,
    },
  );
  const always = alwaysAllows === undefined ? {} : { alwaysAllows };
  return { ...request, mayRemember: decision.neverRemember !== true && isWhole, ...always, lines };
}

/** What an answer is bound to: the raw call, and the tool as it describes itself. */
export async function bindingOf(
  { found, argsText }: Pick<QueuedCall, "found" | "argsText">,
  salt: string | undefined,
): Promise<ApprovalRequest["binding"]> {
  const definition = await definitionFingerprint(found);
  return { arguments: await callDigest({ toolName: found.name, definition, argsText }, salt), definition };
}

/** The rules that ask, and who must approve. */
function needsOf(
  { decision: { askRules, needs } }: QueuedCall,
  { runtime: { redactor } }: Turn,
): Pick<ApprovalRequest, "rules" | "needs"> {
  return {
    ...(askRules === undefined ? {} : { rules: askRules.map((rule) => redactor.redact(rule)) }),
    ...(needs === undefined ? {} : { needs }),
  };
}

function contextFor({ principal, runtime }: Turn): NonNullable<ApprovalRequest["context"]> {
  const { redactor, sessionState } = runtime;
  const { roots, sandbox, taint, taintedBy } = sessionState.of(principal);
  return {
    directories: roots.map((root) => redactor.redact(root)),
    sandbox,
    taint: [...taint].map((label) => {
      const from = taintedBy?.get(label);
      return from === undefined ? { label } : { label, from: redactor.redact(from) };
    }),
  };
}

/** Wider rules, where they would allow the call: never where a watchdog asks too, or an authorizer decides. */
async function suggestionsFor(call: QueuedCall, askId: string, turn: Turn): Promise<readonly Rule[]> {
  const { scope, redactor } = turn.runtime;
  const { neverRemember, needs, askedBy = [] } = call.decision;
  if (neverRemember || needs !== undefined) return [];
  const asked = turn.record?.asked.get(askId);
  if (asked !== undefined && "suggestions" in asked) return asked.suggestions;
  if (askedBy.some((asker) => asker !== "rules")) return [];
  const rules = suggestRules(call, scope.variables);
  const isOpen = rules.every(({ pattern = "" }) => redactor.find(pattern).length === 0);
  return rules.length > 0 && isOpen && (await isHelpful(call, rules, turn)) ? rules : [];
}

/** Rules for the effects that no rule allows yet, without the values of secrets. */
function exactRulesFor(call: QueuedCall, askId: string, turn: Turn): Pick<ApprovalRequest, "exactRules"> {
  const asked = turn.record?.asked.get(askId);
  if (asked !== undefined)
    return "exactRules" in asked && asked.exactRules !== undefined ? { exactRules: asked.exactRules } : {};
  const { authorizer, redactor, sessionState } = turn.runtime;
  const context = sessionState.of(turn.principal);
  const exactRules = authorizer.exactRules?.(call, context, call.decision) ?? [];
  const isPlain = exactRules.every(({ pattern = "" }) => redactor.find(pattern).length === 0);
  return exactRules.length > 0 && isPlain ? { exactRules } : {};
}

/** Counted from when it was first asked, also in a later process. */
async function expiryOf(
  { decision: { needs = [] } }: QueuedCall,
  askId: string,
  turn: Turn,
): Promise<number | undefined> {
  const asked = turn.record?.asked.get(askId);
  if (asked !== undefined && "expiresAt" in asked) return asked.expiresAt;
  const times = [turn.runtime.limits.approvalDeadlineMs, ...needs.map(({ withinMs }) => withinMs)];
  const within = Math.min(...times.filter((ms) => ms !== undefined));
  return Number.isFinite(within) ? (await turn.steps.now()) + within : undefined;
}
