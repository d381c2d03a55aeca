import type { Decision, StageMachine, StageVerdict } from "../contract/policy/decision.ts";
import { errorText } from "../contract/values/error.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { inTime } from "./rules/promises.ts";

const TIMEOUT_MS = 5_000;

/** The host application's stage machine can settle an ask, for this call only. A failing one denies. */
export function askStages(
  stages: StageMachine | undefined,
  decision: Decision,
  { call, context, trace }: PolicyInput,
): Decision | Promise<Decision> {
  if (stages === undefined || decision.action !== "ask" || decision.isFinal === true) return decision;
  const settled = (verdict: StageVerdict) => settle(stages, decision, verdict, trace);
  const failed = (error: unknown) =>
    settled({ verdict: "deny", reason: `The stage machine ${stages.name} failed: ${errorText(error)}` });
  try {
    const verdict = stages.evaluate(call, context);
    return verdict instanceof Promise ? inTime(verdict, TIMEOUT_MS).then(settled, failed) : settled(verdict);
  } catch (error) {
    return failed(error);
  }
}

function settle(
  stages: StageMachine,
  decision: Decision,
  given: StageVerdict,
  trace: PolicyInput["trace"],
): Decision {
  const { verdict, reason } = readVerdict(given);
  const said = ({ approve: "allow", defer: "nothing", deny: "deny" } as const)[verdict];
  trace?.push({
    layer: "stage",
    said,
    how: "answers",
    matchedBy: stages.name,
    ...(reason === undefined ? {} : { reason }),
  });
  if (verdict === "defer" || (verdict === "approve" && decision.needs !== undefined)) return decision;
  if (verdict === "approve") return { action: "allow", layer: "stage", matchedBy: stages.name };
  return { action: "deny", layer: "stage", matchedBy: stages.name, reason: reason ?? "Denied by the stage." };
}

function readVerdict(given: StageVerdict): {
  readonly verdict: "approve" | "defer" | "deny";
  readonly reason?: string;
} {
  const verdict = typeof given === "string" ? given : given?.verdict;
  if (verdict === "approve" || verdict === "defer") return { verdict };
  if (typeof given === "object" && given?.verdict === "deny")
    return { verdict: "deny", reason: String(given.reason) };
  return { verdict: "deny", reason: "It gave no verdict that is known." };
}
