import type { AuthorizedCall } from "../../contract/stages/call.ts";
import { isOwn } from "../../contract/values/origin.ts";
import type { MayContain } from "../../policy/rules/explanation.ts";
import type { Awaitable } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

/** Where a call would ask, its commands run contained instead, if what they do can be undone and decided about. */
export function contain(call: AuthorizedCall, turn: Turn): Awaitable<AuthorizedCall> {
  const { decision, found, beyond } = call;
  if (decision.action !== "ask") return call;
  const { steps, record, runtime } = turn;
  const { mayContain } = runtime.ports;
  if (steps.replayed !== undefined) return steps.replayed(stepOf(call)) === true ? contained(call) : call;
  if (mayContain === undefined || found.tool.containable !== true || !isOwn(found.origin)) return call;
  if (beyond !== undefined || record?.asked.has(call.id) === true) return call;
  return decidedOnce(call, mayContain, turn);
}

function stepOf({ id }: AuthorizedCall): string {
  return `${id}/contain`;
}

/** Recorded, so that a call that is resumed is what it was. */
async function decidedOnce(
  call: AuthorizedCall,
  mayContain: MayContain,
  { steps, runtime, principal }: Turn,
): Promise<AuthorizedCall> {
  const { authorizer, sessionState } = runtime;
  const isContained = await steps.run(stepOf(call), "none", async () => {
    const explanation = await authorizer.explain?.(call, sessionState.of(principal));
    return explanation !== undefined && (await mayContain(call, explanation));
  });
  return isContained ? contained(call) : call;
}

function contained(call: AuthorizedCall): AuthorizedCall {
  const { matchedBy } = call.decision;
  return { ...call, contained: true, decision: { action: "allow", layer: "containment", matchedBy } };
}
