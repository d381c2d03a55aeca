import type { Approver } from "../contract/approval.ts";
import type { Principal } from "../contract/principal.ts";
import type { SandboxGrade } from "../contract/sandbox.ts";
import type { Confinement } from "../pipeline/confinement.ts";
import type { SurroundingsParts } from "../pipeline/surroundings.ts";
import type { Taint } from "../pipeline/taint.ts";
import type { SessionAuthorizer } from "../pipeline/turn.ts";
import type { ApprovalMemory } from "../policy/approvals/memory.ts";

/**
 * What a subagent's session inherits: it is held by the same policy and ceiling, asks the same people,
 * and shares what was taken in, touched and approved.
 */
export interface Lineage {
  /** From the root to the child. */
  readonly agents: readonly string[];
  readonly authorizer: SessionAuthorizer;
  readonly approver: Approver;
  readonly confinement: Confinement;
  readonly taint: Taint;
  /** What a call adds to the taint. */
  readonly labelsOf: SurroundingsParts["labelsOf"];
  readonly memory: ApprovalMemory;
  readonly principal: Principal;
  readonly sandbox: SandboxGrade;
}
