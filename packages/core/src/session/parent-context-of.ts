import type { Approver } from "../contract/approval.ts";
import { canonicalJson } from "../contract/canonical-json.ts";
import type { PolicyDefinition } from "../contract/decision.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { RequirementSet, Variables } from "../contract/requirements.ts";
import { Confinement } from "../pipeline/scope.ts";
import { Taint } from "../pipeline/taint.ts";
import { ApprovalMemory } from "../policy/approvals/approval-memory.ts";
import { GrowingPolicy } from "../policy/growing-policy.ts";
import { inheritFrom, type SessionAuthorizer } from "../policy/inherit.ts";
import { unionOf } from "../policy/requirements.ts";
import { labelsOf } from "../policy/watchdogs/taint.ts";
import { createRedactor } from "../redaction/redactor.ts";
import type { Registry } from "../registry/registry.ts";
import type { SessionOptions } from "./options.ts";
import { type ParentContextParts, partsOf } from "./parent-context.ts";
import { principalOf } from "./principal-of.ts";

/** What a session is held by and shares, for itself and its children: its own, within its parent's. */
export function parentContextOf(options: SessionOptions, approver: Approver): ParentContextParts {
  const { ceiling = "unlimited", principal = {} } = options;
  const parent = options.parent === undefined ? undefined : partsOf(options.parent);
  const variables = variablesOf(options, parent);
  const agents = parent?.agents ?? [];
  return {
    agents,
    approver,
    authorizer: authorizerOf(options, variables, parent),
    confinement: new Confinement(variables, ceiling, parent?.confinement),
    taint: parent?.taint ?? new Taint(),
    labelsOf,
    memory: parent?.memory ?? new ApprovalMemory(options.projectApprovals),
    // A child acts for whom its root acts; only its own name is its own.
    principal:
      parent === undefined
        ? principalOf(principal)
        : principalOf({ agent: agents.at(-1) ?? "agent" }, parent.principal),
    sandbox: options.isolation ?? parent?.sandbox ?? "none",
    // What is a secret to the parent is one to the child; who may answer for it is the parent's to say.
    redactor: parent?.redactor ?? options.redactor ?? createRedactor(),
    approvalSecret: parent?.approvalSecret ?? options.approvalSecret,
    approvalDeadlineMs: options.settings?.approvalDeadlineMs ?? parent?.approvalDeadlineMs,
  };
}

/** Said for the session, or with its policy; a child works where its parent works. */
function variablesOf(
  { variables, policy }: SessionOptions,
  parent: ParentContextParts | undefined,
): Variables {
  const ofPolicy = definitionOf(policy)?.variables;
  if (
    variables !== undefined &&
    ofPolicy !== undefined &&
    canonicalJson(variables) !== canonicalJson(ofPolicy)
  ) {
    throw new ToolkeepError(
      "invalid_option",
      "The session and its policy have different `variables`; give them once.",
    );
  }
  return variables ?? ofPolicy ?? parent?.confinement.variables ?? {};
}

function authorizerOf(
  options: SessionOptions,
  variables: Variables,
  parent: ParentContextParts | undefined,
): SessionAuthorizer {
  const { authorizer } = options;
  const others = [options.policy, options.rules, options.watchdogs, options.manifest?.rules];
  if (authorizer !== undefined && others.some((one) => one !== undefined)) {
    const message =
      "An authorizer of your own decides alone; it cannot be given together with a policy, rules or watchdogs.";
    throw new ToolkeepError("invalid_option", message);
  }
  if (parent === undefined) return authorizer ?? ownPolicy(options, variables);
  const isBare = [authorizer, ...others].every((one) => one === undefined);
  return isBare
    ? parent.authorizer
    : inheritFrom(parent.authorizer, authorizer ?? ownPolicy(options, variables));
}

function ownPolicy(
  { policy, rules, watchdogs, manifest }: SessionOptions,
  variables: Variables,
): GrowingPolicy {
  if (policy !== undefined && (rules !== undefined || watchdogs !== undefined)) {
    throw new ToolkeepError("invalid_option", "Give a policy, or rules and watchdogs; not both.");
  }
  const definition = definitionOf(policy) ?? {};
  const declared = (manifest?.rules ?? []).map((rule) => ({ ...rule, scope: "manifest" as const }));
  return new GrowingPolicy({
    ...definition,
    rules: [...declared, ...(definition.rules ?? rules ?? [])],
    ...(watchdogs === undefined ? {} : { watchdogs }),
    variables,
  });
}

/** One that was compiled already knows what it was made of. */
function definitionOf(policy: SessionOptions["policy"]): PolicyDefinition | undefined {
  return policy !== undefined && "definition" in policy ? policy.definition : policy;
}

/** Manifest and tools together; most sessions never ask for it. */
export function requirementsOf({ manifest }: SessionOptions, registry: Registry): RequirementSet {
  return unionOf([manifest?.requires ?? {}, ...registry.list().map(({ tool }) => tool.requires)]);
}
