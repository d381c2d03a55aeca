import type { ApprovalAnswer } from "../contract/approval.ts";
import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** What an answer means for calls to come: nothing, the very same call, or a wider rule. It is written down. */
export async function remember(call: QueuedCall, answer: ApprovalAnswer, turn: Turn): Promise<void> {
  if (call.decision.neverRemember) return;
  const { surroundings, recorder, authorizer } = turn.runtime;
  if (answer.verdict === "always") {
    const entries = await surroundings.memory.remember(call, call.decision.askedBy ?? ["rules"], answer);
    recorder.write(turn.id, { type: "approval-remember", callId: call.id, entries });
  }
  if (answer.verdict === "rule" && answer.rule.action === "allow") {
    const rule = { ...answer.rule, scope: answer.scope ?? "session" };
    authorizer.add?.(rule);
    const by = answer.by === undefined ? {} : { by: answer.by };
    recorder.write(turn.id, { type: "rule-add", rule, ...by });
  }
}
