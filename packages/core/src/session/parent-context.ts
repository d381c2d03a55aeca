import type { Approver } from "../contract/approval/approval.ts";
import type { RequirementSet, Variables } from "../contract/call/effect.ts";
import { assertVariables } from "../contract/call/variables.ts";
import type { IsolationLevel } from "../contract/io/sandbox.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { Authorizer, PolicyDefinition } from "../contract/policy/decision.ts";
import { invalidOption } from "../contract/values/error.ts";
import { canonicalJson } from "../contract/values/json-text.ts";
import { Scope } from "../pipeline/turn/scope.ts";
import type { SessionStateParts } from "../pipeline/turn/session-state.ts";
import { Taint } from "../pipeline/turn/taint.ts";
import { ApprovalMemory } from "../policy/approvals/approval-memory.ts";
import { ApproverKeys, type SignedApprovals } from "../policy/approvals/approver-keys.ts";
import { GrowingPolicy } from "../policy/growing-policy.ts";
import { inheritFrom, type SessionAuthorizer } from "../policy/inherit.ts";
import { CallHistory } from "../policy/rules/call-history.ts";
import { compileRequirements, unionOf } from "../policy/rules/requirements.ts";
import { marksOf } from "../policy/watchdogs/taint.ts";
import { createRedactor, type Redactor } from "../redaction/redactor.ts";
import type { Registry } from "../registry/registry.ts";
import type { ParentContext, SessionOptions, SessionPorts } from "./options.ts";
import { isAuthorizer, policyDefinition, type SessionPolicy } from "./policy-definition.ts";
import { asAgent, principalOf } from "./principals.ts";

/** What a parent context holds. */
export interface ParentContextParts extends ParentContext {
  readonly authorizer: SessionAuthorizer;
  /** What the policy was made from, the root's first. An authorizer of the host application is not among them. */
  readonly policies: readonly PolicyDefinition[];
  readonly approver: Approver;
  readonly scope: Scope;
  readonly taint: Taint;
  /** The calls of the session and its children, where the rules count them. */
  readonly history: CallHistory;
  /** What a call adds to the taint. */
  readonly marksOf: SessionStateParts["marksOf"];
  readonly memory: ApprovalMemory;
  readonly principal: Principal;
  readonly sandbox: IsolationLevel;
  readonly isTrusted: boolean;
  readonly redactor: Redactor;
  readonly signedApprovals: SignedApprovals;
  readonly approvalDeadlineMs: number | undefined;
}

const parts = new WeakMap<ParentContext, ParentContextParts>();

/** A parent context without access to what it holds. */
export function toParentContext(inside: ParentContextParts): ParentContext {
  const parentContext: ParentContext = Object.freeze({ agents: Object.freeze([...inside.agents]) });
  parts.set(parentContext, { ...inside, agents: parentContext.agents });
  return parentContext;
}

/** @throws ToolkeepError `invalid_option` for an object that no session made. */
export function partsOf(parentContext: ParentContext): ParentContextParts {
  const inside = parts.get(parentContext);
  if (inside !== undefined) return inside;
  throw invalidOption(
    "The session option `parent` must be what `session.childContext(name)` returned, unchanged.",
  );
}

/** What applies to a session and what it shares, for itself and its children: its own, within its parent's. */
export function contextOf(options: SessionOptions & SessionPorts, approver: Approver): ParentContextParts {
  const { ceiling = "unlimited", principal = {} } = options;
  const parent = options.parent === undefined ? undefined : partsOf(options.parent);
  const variables = variablesOf(options, parent);
  // What the agent declares about itself names known variables alone.
  compileRequirements(options.manifest?.requires ?? {}, variables);
  const agents = parent?.agents ?? [];
  const authorizer = authorizerOf(options, variables, parent);
  return {
    agents,
    approver,
    authorizer,
    policies: [...(parent?.policies ?? []), ...policiesOf(options, parent)],
    scope: new Scope(variables, ceiling, parent?.scope),
    taint: parent?.taint ?? new Taint(),
    history: parent?.history ?? new CallHistory(),
    marksOf: (call, roots) => authorizer.marksOf?.(call, roots) ?? marksOf(call, roots),
    memory: parent?.memory ?? new ApprovalMemory(projectApprovalsOf(options, variables)),
    // A child acts on behalf of the call that made it; only its agent name is its own.
    principal:
      parent === undefined ? principalOf(principal) : asAgent(parent.principal, agents.at(-1) ?? "agent"),
    sandbox: options.isolation ?? parent?.sandbox ?? "none",
    isTrusted: parent?.isTrusted ?? options.isTrusted ?? false,
    // The parent's secrets are secrets to the child, and the parent determines who may answer for it.
    redactor: parent?.redactor ?? options.redactor ?? createRedactor(),
    signedApprovals:
      parent?.signedApprovals ?? options.signedApprovals ?? new ApproverKeys(options.approvers),
    approvalDeadlineMs: options.limits?.approvalDeadlineMs ?? parent?.approvalDeadlineMs,
  };
}

function projectApprovalsOf(
  { projectApprovals, store, project }: SessionOptions & SessionPorts,
  { workspace = [] }: Variables,
) {
  const name = project ?? workspace[0];
  return projectApprovals ?? (name === undefined ? undefined : store?.projectApprovals(name));
}

/** Given for the session or with its policy; a child works where its parent works. */
function variablesOf(
  { variables, policy }: SessionOptions,
  parent: ParentContextParts | undefined,
): Variables {
  const ofPolicy = policyDefinition(policy)?.variables;
  if (
    variables !== undefined &&
    ofPolicy !== undefined &&
    canonicalJson(variables) !== canonicalJson(ofPolicy)
  ) {
    throw invalidOption("The session and its policy have different `variables`. Give them once.");
  }
  const used = variables ?? ofPolicy ?? parent?.scope.variables ?? {};
  assertVariables(used);
  return used;
}

function authorizerOf(
  { policy, manifest }: SessionOptions,
  variables: Variables,
  parent: ParentContextParts | undefined,
): SessionAuthorizer {
  const isBare = policy === undefined && manifest?.rules === undefined;
  if (parent !== undefined && isBare) return parent.authorizer;
  const own = isAuthorizer(policy) ? alone(policy, manifest) : growing(policy, manifest, variables);
  return parent === undefined ? own : inheritFrom(parent.authorizer, own);
}

/** What a session adds to the policy of its parent. */
function policiesOf(
  { policy, manifest }: SessionOptions,
  parent: ParentContextParts | undefined,
): readonly PolicyDefinition[] {
  const rules = manifest?.rules ?? [];
  const own = policyDefinition(policy);
  if (isAuthorizer(policy) || (parent !== undefined && own === undefined && rules.length === 0)) return [];
  return [...(rules.length === 0 ? [] : [{ rules }]), own ?? {}];
}

/** An authorizer of the host application decides alone. */
function alone(authorizer: Authorizer, manifest: SessionOptions["manifest"]): Authorizer {
  if (manifest?.rules === undefined) return authorizer;
  const message =
    "A `policy` that is an authorizer of your own decides alone; `manifest.rules` cannot be given with it.";
  throw invalidOption(message);
}

function growing(
  policy: SessionPolicy | undefined,
  manifest: SessionOptions["manifest"],
  variables: Variables,
): GrowingPolicy {
  const definition = policyDefinition(policy) ?? {};
  const declared = (manifest?.rules ?? []).map((rule) => ({ ...rule, scope: "manifest" as const }));
  return new GrowingPolicy({
    ...definition,
    rules: [...declared, ...(definition.rules ?? [])],
    variables,
  });
}

/** What manifest and tools require, together. */
export function requirementsOf({ manifest }: SessionOptions, registry: Registry): RequirementSet {
  return unionOf([manifest?.requires ?? {}, ...registry.list().map(({ tool }) => tool.requires)]);
}
