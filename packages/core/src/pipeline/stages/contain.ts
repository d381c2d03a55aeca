import type { AuthorizedCall } from "../../contract/stages/call.ts";
import { isOwn } from "../../contract/values/origin.ts";
import type { MayContain } from "../../policy/rules/explanation.ts";
import type { Awaitable } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

/** Where a call would ask, its commands run contained instead, if what they do can be taken back and decided about. */
export function contain(call: AuthorizedCall, turn: Turn): Awaitable<AuthorizedCall> {
  const { decision, found, beyond } = call;
  const { mayContain } = turn.runtime.ports;
  if (mayContain === undefined || decision.action !== "ask" || beyond !== undefined) return call;
  if (found.tool.containable !== true || !isOwn(found.origin)) return call;
  return turn.record?.asked.has(call.id) === true ? call : instead(call, mayContain, turn);
}

/** Recorded: a call that is resumed must not run outside because it could be contained before. */
async function instead(call: AuthorizedCall, mayContain: MayContain, turn: Turn): Promise<AuthorizedCall> {
  const { authorizer, sessionState } = turn.runtime;
  const isContained = await turn.steps.run(`${call.id}/contain`, "none", async () => {
    const explanation = await authorizer.explain?.(call, sessionState.of(turn.principal));
    return explanation !== undefined && (await mayContain(call, explanation));
  });
  if (!isContained) return call;
  const { matchedBy } = call.decision;
  return { ...call, contained: true, decision: { action: "allow", layer: "containment", matchedBy } };
}
