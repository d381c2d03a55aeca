import type { DeniedAccess, PathDenies } from "../contract/call/effect.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { Authorizer, Decision } from "../contract/policy/decision.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { askingBoth } from "./approvers/required-approvers.ts";
import type { Policy } from "./compile-policy.ts";
import { andThen } from "./rules/promises.ts";
import { isStricter } from "./rules/rule-set.ts";
import { joinedShadow } from "./shadow-rules.ts";

/** An authorizer that can explain its decisions, and that an answer to an approval can add rules to. */
export interface SessionAuthorizer extends Authorizer {
  explain?: Policy["explain"];
  exactRules?: Policy["exactRules"];
  /** A copy with these rules added. */
  withRules?(rules: readonly Rule[]): Authorizer;
  /** Adds a rule for one principal. */
  add?(rule: Rule, principal: Principal): void;
  /** Removes the rules that were added. */
  forget?(): void;
}

/** The policy of a subagent: never looser than that of its parent. Rules that an answer adds apply to both. */
export function inheritFrom(parent: SessionAuthorizer, own: SessionAuthorizer): SessionAuthorizer {
  const growing = {
    withRules: (rules: readonly Rule[]) =>
      inheritFrom(parent.withRules?.(rules) ?? parent, own.withRules?.(rules) ?? own),
    add(rule: Rule, principal: Principal) {
      parent.add?.(rule, principal);
      own.add?.(rule, principal);
    },
    forget() {
      parent.forget?.();
      own.forget?.();
    },
  };
  const { explain: above } = parent;
  const { explain: below } = own;
  return {
    get longestWindowMs() {
      return Math.max(parent.longestWindowMs ?? 0, own.longestWindowMs ?? 0) || undefined;
    },
    ...(parent.add === undefined && own.add === undefined ? {} : growing),
    ...(above === undefined || below === undefined ? {} : { explain: explainBoth(parent, own) }),
    ...(parent.leavesOut === undefined || own.leavesOut === undefined
      ? {}
      : { leavesOut: leftOutByBoth(parent, own) }),
    pathDenies: (call, context) =>
      denyBoth(parent.pathDenies?.(call, context), own.pathDenies?.(call, context)),
    ...(parent.marksOf === undefined && own.marksOf === undefined
      ? {}
      : {
          marksOf: (call: PolicyCall, roots: readonly string[]) => ({
            ...own.marksOf?.(call, roots),
            ...parent.marksOf?.(call, roots),
          }),
        }),
    decide: (call, context) =>
      andThen(parent.decide(call, context), (decided) => {
        if (decided.action === "deny") return decided;
        return andThen(own.decide(call, context), (one) => stricterOf(decided, one));
      }),
  };
}

function leftOutByBoth(
  parent: SessionAuthorizer,
  own: SessionAuthorizer,
): NonNullable<SessionAuthorizer["leavesOut"]> {
  return (call, context) => [
    ...(parent.leavesOut?.(call, context) ?? []),
    ...(own.leavesOut?.(call, context) ?? []),
  ];
}

/** What one of the two denies. */
function denyBoth(above: PathDenies | undefined, below: PathDenies | undefined): PathDenies | undefined {
  if (above === undefined || below === undefined) return above ?? below;
  const known = both.get(above)?.get(below);
  if (known !== undefined) return known;
  const either = (one: DeniedAccess | undefined, other: DeniedAccess | undefined) =>
    one === undefined ? other : { ...other, ...one };
  const denies = Object.freeze<PathDenies>({
    at: (path) => either(above.at(path), below.at(path)),
    beneath: (folder) => either(above.beneath(folder), below.beneath(folder)),
    reaches: (folder) => above.reaches(folder) || below.reaches(folder),
    names: (folder) => above.names(folder) || below.names(folder),
  });
  both.set(above, (both.get(above) ?? new WeakMap<PathDenies, PathDenies>()).set(below, denies));
  return denies;
}

/** The same pair gives the same object, so that it can be a cache key. */
const both = new WeakMap<PathDenies, WeakMap<PathDenies, PathDenies>>();

/** The explanation of the stricter one; the parent's if they agree. */
function explainBoth(parent: SessionAuthorizer, own: SessionAuthorizer): Policy["explain"] {
  return async (call, context) => {
    const above = await parent.explain?.(call, context);
    const below = await own.explain?.(call, context);
    if (above === undefined || below === undefined)
      throw new TypeError("A policy forgot how to explain itself.");
    const { steps, changes } = isStricter(below.decision.action, above.decision.action) ? below : above;
    const { exactRules: _, ...first } = above;
    const labels = [...(above.labels ?? []), ...(below.labels ?? [])];
    return {
      ...first,
      ...(labels.length > 0 ? { labels } : {}),
      decision: stricterOf(above.decision, below.decision),
      steps,
      changes,
    };
  };
}

function stricterOf(above: Decision, below: Decision): Decision {
  return joinedShadow(stricterDecision(above, below), above, below);
}

function stricterDecision(above: Decision, below: Decision): Decision {
  if (above.action !== "ask" || below.action !== "ask") {
    return isStricter(below.action, above.action) ? below : above;
  }
  return {
    ...askingBoth(above, below),
    reason:
      above.reason === below.reason
        ? (above.reason ?? above.matchedBy)
        : `${above.reason ?? above.matchedBy} ${below.reason ?? below.matchedBy}`,
    askedBy: [...new Set([...(above.askedBy ?? []), ...(below.askedBy ?? [])])],
    ...(below.neverRemember ? { neverRemember: true as const } : {}),
    ...(below.isFinal ? { isFinal: true as const } : {}),
  };
}
