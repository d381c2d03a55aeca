import type { Effect, PathDenies } from "../../../contract/call/effect.ts";
import { AccessRefused, ToolFailure } from "../../../contract/call/result.ts";
import type { Decision } from "../../../contract/policy/decision.ts";
import type { Grant } from "../../../contract/stages/grant.ts";
import { compileGlob, kindOfTarget, type TargetPattern } from "../../../policy/patterns/compile-glob.ts";
import type { RunningCall } from "../../turn/running-call.ts";
import { shownIn } from "../../turn/shown-effects.ts";
import { actionsOn } from "../effects/beyond-scope.ts";

/** What the I/O of one call may do. */
export function grantOf(running: RunningCall): Grant {
  const { call, turn, abortSignal } = running;
  const { scope } = turn.runtime;
  const resolved = resolvedBy(call.effects);
  const isApprovedBeyond = call.beyond === undefined ? undefined : resolvedBy(call.beyond);
  const isShown = shownIn(call, call.effects, turn);
  const leavesOut = leftOutOf(running);
  return {
    ...(leavesOut === undefined ? {} : { leavesOut }),
    ...(turn.runtime.authorizer.pathDenies === undefined ? {} : { pathDenies: () => pathDeniesOf(running) }),
    isStillAllowed: stillAllowed(running),
    evaluate: (effects) => evaluated(running, effects),
    toolName: call.found.name,
    callId: call.id,
    requires: scope.expandedRequirementsOf(call.found),
    ceilings: scope.ceilings,
    effects: call.effects,
    ...(call.contained === true ? { contained: true } : {}),
    abortSignal,
    check(access) {
      if (running.isOver) throw new ToolFailure("cancelled", "The call is over.");
      const limit = limitAgainst(access);
      if (limit === undefined) return;
      const { message, ...refusal } = refused(running, access, `is outside ${limit}`);
      throw new AccessRefused(message, refusal);
    },
    refuse(access, reason) {
      throw new ToolFailure("out_of_scope", refused(running, access, reason).message);
    },
  };

  function limitAgainst(access: Effect): string | undefined {
    const isRequired = scope.requirementsOf(call.found).covers(access) || isShown?.(access) === true;
    if (!isRequired && isApprovedBeyond?.(access) !== true) return `what ${call.found.name} requires`;
    if (!scope.isWithinCeiling(access)) return "the ceiling of this session";
    if (access.capability === "fs.read" && leavesOut?.(access.target)) return "what the rules let it read";
    return resolved(access) ? undefined : "what this call was allowed to do";
  }
}

/** Each by itself, under the rules and watchdogs that apply now. */
async function evaluated(
  { call, turn }: RunningCall,
  effects: readonly Effect[],
): Promise<readonly Decision[]> {
  const { authorizer, sessionState } = turn.runtime;
  const context = sessionState.of(turn.principal);
  const decisions: Decision[] = [];
  for (const effect of effects)
    decisions.push(
      await authorizer.decide({ ...call, effects: [{ ...effect, known: "enforced" }] }, context),
    );
  return decisions;
}

/**
 * What was decided about a call that sends holds until something private is read: then rules or watchdogs may object
 * that did not before. Asked anew once; what was asked about anyway is not held against the call.
 */
function stillAllowed({ call, turn }: RunningCall): () => Promise<boolean> {
  const { authorizer, sessionState } = turn.runtime;
  const now = () => sessionState.of(turn.principal);
  if (now().taint.has("private")) return async () => true;
  let answer: Promise<boolean> | undefined;
  return async () => {
    if (!now().taint.has("private")) return true;
    answer ??= isAsBefore().catch(() => false);
    return answer;
  };

  async function isAsBefore(): Promise<boolean> {
    const context = now();
    const today = await authorizer.decide(call, context);
    if (today.action === "allow") return true;
    const others = new Set([...context.taint].filter((label) => label !== "private"));
    const before = await authorizer.decide(call, { ...context, taint: others });
    return before.action === today.action && `${before.askedBy}` === `${today.askedBy}`;
  }
}

/** What the rules take out of the trees that the call reads in part; `undefined` for nothing. */
function leftOutOf({ call, turn }: RunningCall): ((path: string) => boolean) | undefined {
  if (!call.effects.some(({ partial }) => partial === true)) return undefined;
  const { authorizer, sessionState } = turn.runtime;
  const patterns = (authorizer.leavesOut?.(call, sessionState.of(turn.principal)) ?? []).map(compileGlob);
  if (patterns.length === 0) return undefined;
  const named = call.effects.filter(
    ({ capability, partial }) => capability === "fs.read" && partial !== true,
  );
  // A deny counts for whatever it may mean; a whole tree is left out only where all of it is.
  const isLeftOut = (path: string) =>
    patterns.some((pattern) => pattern[path.endsWith("/**") ? "matches" : "mayMatch"](path, "path"));
  return (path) => isLeftOut(path) && !named.some(({ target }) => target === path);
}

function pathDeniesOf({ call, turn }: RunningCall): PathDenies | undefined {
  const { authorizer, sessionState } = turn.runtime;
  return authorizer.pathDenies?.(call, sessionState.of(turn.principal));
}

/** Writes the refusal down before it is thrown; gives what may be said of it. */
function refused({ call, turn }: RunningCall, access: Effect, reason: string) {
  const { recorder, redactor } = turn.runtime;
  const { capability } = access;
  const target = redactor.redact(access.target);
  recorder.write(turn.id, {
    type: "access-refuse",
    callId: call.id,
    tool: call.found.name,
    capability,
    target,
    reason: redactor.redact(reason),
  });
  return { capability, target, message: `This ${actionsOn([{ capability, target }])}, which ${reason}.` };
}

/** Whether an access is one of the effects, or covered by one that is a pattern. */
function resolvedBy(effects: readonly Effect[]): (access: Effect) => boolean {
  const patterns = new Map<Effect, TargetPattern>();
  const covers = (effect: Effect, { capability, target }: Effect) => {
    if (effect.capability !== capability) return false;
    if (effect.target === target) return true;
    const pattern = patterns.get(effect) ?? compileGlob(effect.target);
    patterns.set(effect, pattern);
    return pattern.matches(target, kindOfTarget(capability));
  };
  return (access) => effects.some((effect) => covers(effect, access));
}
