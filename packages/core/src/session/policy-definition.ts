import type { Authorizer, PolicyDefinition } from "../contract/policy/decision.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { Policy } from "../policy/compile-policy.ts";

/** What decides in a session: rules, a policy as it is written or compiled, or an authorizer of your own. */
export type SessionPolicy = readonly (string | Rule)[] | PolicyDefinition | Policy | Authorizer;

/** A policy as it is written; `undefined` for none, and for an authorizer of the host application. */
export function policyDefinition(policy: SessionPolicy | undefined): PolicyDefinition | undefined {
  if (policy === undefined || isAuthorizer(policy)) return undefined;
  if (isList(policy)) return { rules: policy };
  return "definition" in policy ? (policy as Policy).definition : (policy as PolicyDefinition);
}

/** Whether a policy is an authorizer of the host application. */
export function isAuthorizer(policy: SessionPolicy | undefined): policy is Authorizer {
  return policy !== undefined && "decide" in policy && !("definition" in policy);
}

function isList(policy: SessionPolicy): policy is readonly (string | Rule)[] {
  return Array.isArray(policy);
}
