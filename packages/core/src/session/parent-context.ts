import type { Approver } from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Principal } from "../contract/principal.ts";
import type { IsolationLevel } from "../contract/sandbox.ts";
import type { Confinement } from "../pipeline/scope.ts";
import type { SessionStateParts } from "../pipeline/session-state.ts";
import type { Taint } from "../pipeline/taint.ts";
import type { ApprovalMemory } from "../policy/approvals/approval-memory.ts";
import type { SessionAuthorizer } from "../policy/inherit.ts";
import type { Redactor } from "../redaction/redactor.ts";

/**
 * What a subagent's session inherits: it is held by the same policy and ceiling, asks the same people,
 * and shares what was taken in, touched and approved. Only a session can make one.
 */
export interface ParentContext {
  /** The names of the agents from the root to the child. */
  readonly agents: readonly string[];
}

/** What is in a lineage. */
export interface ParentContextParts extends ParentContext {
  readonly authorizer: SessionAuthorizer;
  readonly approver: Approver;
  readonly confinement: Confinement;
  readonly taint: Taint;
  /** What a call adds to the taint. */
  readonly labelsOf: SessionStateParts["labelsOf"];
  readonly memory: ApprovalMemory;
  readonly principal: Principal;
  readonly sandbox: IsolationLevel;
  readonly redactor: Redactor;
  readonly approvalSecret: string | undefined;
  readonly approvalDeadlineMs: number | undefined;
}

const parts = new WeakMap<ParentContext, ParentContextParts>();

/** Hands a lineage out without what is in it. */
export function toParentContext(inside: ParentContextParts): ParentContext {
  const parentContext: ParentContext = Object.freeze({ agents: Object.freeze([...inside.agents]) });
  parts.set(parentContext, { ...inside, agents: parentContext.agents });
  return parentContext;
}

/** @throws ToolkeepError `invalid_option` for one that no session made. */
export function partsOf(parentContext: ParentContext): ParentContextParts {
  const inside = parts.get(parentContext);
  if (inside !== undefined) return inside;
  throw new ToolkeepError("invalid_option", "A parent is what `session.lineage(name)` gives, as it is.");
}
