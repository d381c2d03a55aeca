import type { ApprovalRequest } from "../contract/approval.ts";
import { treatmentOf } from "../contract/mode.ts";
import { approvalKey } from "../policy/approvals/approval-key.ts";
import { definitionFingerprint, fingerprint } from "../policy/approvals/fingerprint.ts";
import { promptLines } from "../policy/approvals/prompt-lines.ts";
import { suggestRules } from "../policy/approvals/suggest-rules.ts";
import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Where an ask stands among those that were raised together. */
export interface BatchPlace {
  readonly index: number;
  readonly size: number;
  /** Those before it have been put to the person. */
  readonly before?: Promise<void>;
  /** To be told when this one has. */
  readonly raised?: () => void;
}

/** What a person is asked: redacted, bound to this call, and in lines that are safe to print. */
export async function approvalRequest(
  call: QueuedCall,
  askId: string,
  { index, size }: BatchPlace,
  turn: Turn,
): Promise<ApprovalRequest> {
  const { redactor, sessionId, confinement, surroundings } = turn.runtime;
  const { found, decision } = call;
  const key = approvalKey(call);
  const expiresAt = await expiryOf(askId, turn);
  const request = {
    id: `${turn.id}/${askId}`,
    sessionId,
    callId: call.id,
    toolName: found.name,
    label: found.tool.label,
    origin: found.origin,
    arguments: JSON.parse(redactor.redactJson(call.argsText)),
    effects: call.effects.map((effect) => ({ ...effect, target: redactor.redact(effect.target) })),
    approvalKey: redactor.redact(key),
    reason: redactor.redact(decision.reason ?? decision.ground),
    askedBy: decision.askedBy ?? ["rules"],
    agents: surroundings.agents,
    treatment: treatmentOf(found.tool.mode),
    binding: {
      arguments: await fingerprint(call.argsText),
      definition: await definitionFingerprint(found),
    },
    mayRemember: decision.neverRemember !== true,
    suggestions: decision.neverRemember ? [] : suggestRules(call, confinement.variables).map(redacted),
    batch: { id: size > 1 ? turn.id : `${turn.id}/${askId}`, index, size },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  } as const;
  return { ...request, lines: promptLines(request) };

  function redacted<Suggested extends { readonly pattern?: string }>(rule: Suggested): Suggested {
    return rule.pattern === undefined ? rule : { ...rule, pattern: redactor.redact(rule.pattern) };
  }
}

/** Counted from when it was first asked, also in a later life. */
async function expiryOf(askId: string, turn: Turn): Promise<number | undefined> {
  const asked = turn.record?.asked.get(askId);
  if (asked !== undefined && "expiresAt" in asked) return asked.expiresAt;
  const { approvalDeadlineMs } = turn.runtime.settings;
  return approvalDeadlineMs === undefined ? undefined : (await turn.steps.now()) + approvalDeadlineMs;
}
