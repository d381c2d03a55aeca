import type { Approver } from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { RequirementSet } from "../contract/requirements.ts";
import { Confinement } from "../pipeline/confinement.ts";
import { Taint } from "../pipeline/taint.ts";
import type { SessionAuthorizer } from "../pipeline/turn.ts";
import { ApprovalMemory } from "../policy/approvals/memory.ts";
import { GrowingPolicy } from "../policy/growing-policy.ts";
import { inheritFrom } from "../policy/inherit.ts";
import { unionOf } from "../policy/requirements.ts";
import { labelsOf } from "../policy/watchdogs/taint.ts";
import type { Registry } from "../registry/registry.ts";
import type { Lineage } from "./lineage.ts";
import type { SessionOptions } from "./options.ts";
import { principalOf } from "./principal-of.ts";

/** What a session is held by and shares, for itself and its children: its own, within its parent's. */
export function lineageOf(options: SessionOptions, approver: Approver): Lineage {
  const { parent, variables = {}, ceiling = "unlimited", principal = {} } = options;
  const agents = parent?.agents ?? [];
  return {
    agents,
    approver,
    authorizer: authorizerOf(options),
    confinement: new Confinement(variables, ceiling, parent?.confinement),
    taint: parent?.taint ?? new Taint(),
    labelsOf,
    memory: parent?.memory ?? new ApprovalMemory(options.projectApprovals),
    // A child acts for whom its root acts; only its own name is its own.
    principal:
      parent === undefined
        ? principalOf(principal)
        : principalOf({ agent: agents.at(-1) ?? "agent" }, parent.principal),
    sandbox: options.sandboxGrade ?? parent?.sandbox ?? "none",
  };
}

function authorizerOf(options: SessionOptions): SessionAuthorizer {
  const { parent, authorizer } = options;
  if (parent === undefined) return authorizer ?? ownPolicy(options);
  const isBare = [
    authorizer,
    options.policy,
    options.rules,
    options.watchdogs,
    options.manifest?.rules,
  ].every((one) => one === undefined);
  return isBare ? parent.authorizer : inheritFrom(parent.authorizer, authorizer ?? ownPolicy(options));
}

function ownPolicy({ policy, rules, watchdogs, manifest, variables = {} }: SessionOptions): GrowingPolicy {
  if (policy !== undefined && (rules !== undefined || watchdogs !== undefined)) {
    throw new ToolkeepError("invalid_option", "Give a policy, or rules and watchdogs; not both.");
  }
  const declared = (manifest?.rules ?? []).map((rule) => ({ ...rule, scope: "manifest" as const }));
  return new GrowingPolicy({
    ...policy,
    rules: [...declared, ...(policy?.rules ?? rules ?? [])],
    ...(watchdogs === undefined ? {} : { watchdogs }),
    variables,
  });
}

/** Manifest and tools together; most sessions never ask for it. */
export function requirementsOf({ manifest }: SessionOptions, registry: Registry): RequirementSet {
  return unionOf([manifest?.requires ?? {}, ...registry.list().map(({ tool }) => tool.requires)]);
}
