import type { Effect } from "../../../contract/call/effect.ts";
import type { Decision, PolicyContext } from "../../../contract/policy/decision.ts";
import type { CanonicalEffect } from "../../../contract/policy/policy-call.ts";
import type { ScopedCall } from "../../../contract/stages/call.ts";
import type { Awaitable } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";

/**
 * The decision on a call that goes beyond what its tool requires. A mode or a rule about everything is no answer to
 * that: it takes a rule on files that matches, or an approval.
 */
export function settleBeyond(
  call: ScopedCall,
  decision: Decision,
  context: PolicyContext,
  turn: Turn,
): Awaitable<Decision> {
  const { beyond } = call;
  if (beyond === undefined || decision.action === "deny") return decision;
  const asking = askAbout(call, beyond);
  if (decision.action === "ask")
    return decision.layer === "default" ? { ...decision, reason: asking.reason ?? "" } : decision;
  if (decision.layer === "approval" || decision.observed !== undefined) return decision;
  return settled(call, beyond, { decision, asking, context }, turn);
}

interface Answers {
  readonly decision: Decision;
  readonly asking: Decision;
  readonly context: PolicyContext;
}

async function settled(
  call: ScopedCall,
  beyond: readonly CanonicalEffect[],
  { decision, asking, context }: Answers,
  { runtime }: Turn,
): Promise<Decision> {
  if (decision.layer === "rule") {
    const each = beyond.map((effect) => runtime.authorizer.decide({ ...call, effects: [effect] }, context));
    if ((await Promise.all(each)).every(isByFileRule)) return decision;
  }
  return (await context.isApproved(call, "rules")) ? decision : asking;
}

function isByFileRule({ action, layer, matchedBy }: Decision): boolean {
  return action === "allow" && layer === "rule" && /^(?:final )?allow fs\./.test(matchedBy);
}

function askAbout({ found }: ScopedCall, beyond: readonly Effect[]): Decision {
  const rules = beyond
    .slice(0, MOST_NAMED)
    .map(({ capability, target }) => `\`allow ${capability} ${JSON.stringify(target)}\``);
  return {
    action: "ask",
    layer: "default",
    matchedBy: `outside of what ${found.name} was declared for`,
    reason: `${found.name} was declared for the workspace; this ${actionsOn(beyond)}. Allowed by: ${rules.join(", ")}.`,
    askedBy: ["rules"],
  };
}

const MOST_NAMED = 3;

const VERBS: Readonly<Record<string, string>> = {
  "fs.read": "reads",
  "fs.write": "writes",
  "fs.delete": "deletes",
  "net.fetch": "reaches",
  "shell.run": "runs",
  "env.read": "reads the environment variable",
};

/** What effects do, in words: `reads /opt/x and writes /opt/y`. */
export function actionsOn(effects: readonly Effect[]): string {
  const shown = effects.slice(0, MOST_NAMED).map(actionOn);
  const more = effects.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`${more} more`])].join(" and ");
}

function actionOn({ capability, target }: Effect): string {
  const verb = Object.hasOwn(VERBS, capability) ? VERBS[capability] : `does ${capability} on`;
  const tree =
    capability.startsWith("fs.") && target.endsWith("/**") ? target.slice(0, -"/**".length) : undefined;
  return tree === undefined ? `${verb} ${target}` : `${verb} everything in ${tree || "/"}`;
}
