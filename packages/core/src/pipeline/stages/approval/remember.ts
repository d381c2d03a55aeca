import type { ApprovalAnswer } from "../../../contract/approval/approval.ts";
import type { Rule } from "../../../contract/policy/rule.ts";
import type { ToRemember } from "../../../policy/approvals/approval-memory.ts";
import { approvalKey } from "../../../policy/approvers/approval-key.ts";
import { isBoundToArguments } from "../../../policy/approvers/fingerprint.ts";
import { rememberedLines } from "../../../policy/shown/coverage-lines.ts";
import { redactEffects } from "../../record/redact-effects.ts";
import type { QueuedCall } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";

/** Remembers what an answer means for later calls: nothing, the same call, or wider rules. It is recorded. */
export async function remember(call: QueuedCall, answer: ApprovalAnswer, turn: Turn): Promise<void> {
  if (call.decision.neverRemember) return;
  const { sessionState, recorder } = turn.runtime;
  if (answer.verdict === "always") {
    const { entries, scope } = await sessionState.memory.remember(
      call,
      askersOf(call),
      sessionState.of(turn.principal),
      { ...answer, ...coverageOf(call, turn) },
    );
    const kept = scope === "project" ? { scope } : {};
    recorder.write(turn.id, { type: "approval-remember", callId: call.id, entries, ...kept });
  }
  if (answer.verdict === "rules") addRules(answer.rules, answer.by, turn);
}

function askersOf({ decision }: QueuedCall): readonly string[] {
  return decision.askedBy ?? ["rules"];
}

/** What a list of approvals says of it, without secrets. */
function coverageOf(call: QueuedCall, turn: Turn): Pick<ToRemember, "approvalKey" | "lines"> {
  const { redactor } = turn.runtime;
  const covered = {
    toolName: call.found.name,
    approvalKey: redactor.redact(approvalKey(call)),
    effects: redactEffects(call.effects, redactor),
    arguments: JSON.parse(redactor.redactJson(call.argsText)),
  };
  const isBound = askersOf(call).some((asker) => isBoundToArguments(call, asker));
  return { approvalKey: covered.approvalKey, lines: rememberedLines(covered, isBound) };
}

function addRules(rules: readonly Rule[], by: string | undefined, turn: Turn): void {
  const { principal, runtime } = turn;
  const { authorizer, recorder, redactor } = runtime;
  for (const rule of sessionRules(rules)) {
    authorizer.add?.(rule, principal);
    const written = JSON.parse(redactor.redactJson(JSON.stringify(rule))) as Rule;
    const entry = { type: "rule-add", rule: written, principal } as const;
    recorder.write(turn.id, by === undefined ? entry : { ...entry, by });
  }
}

/** Whether the rules do nothing but allow, and let this call pass. Anything else is no answer. */
export async function isHelpful(call: QueuedCall, rules: readonly Rule[], turn: Turn): Promise<boolean> {
  const { authorizer, sessionState } = turn.runtime;
  if (!Array.isArray(rules) || !rules.every((rule) => rule?.action === "allow")) return false;
  const decision = await authorizer
    .withRules?.(sessionRules(rules))
    .decide(call, sessionState.of(turn.principal));
  return decision?.action === "allow";
}

/** A rule that an answer adds applies to this session and this principal alone, and every deny overrides it. */
function sessionRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => ({ ...rule, scope: "session", yieldsToDeny: true }));
}
