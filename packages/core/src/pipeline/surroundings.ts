import type { JudgedCall } from "../contract/call.ts";
import type { Circumstances, RecentCall } from "../contract/circumstances.ts";
import type { Decision } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { RequirementSet } from "../contract/requirements.ts";
import type { Label } from "../contract/result.ts";
import type { SandboxGrade } from "../contract/sandbox.ts";
import { definitionFingerprint } from "../policy/approvals/fingerprint.ts";
import type { ApprovalMemory } from "../policy/approvals/memory.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Taint } from "./taint.ts";

/** What the decisions of a session depend on, as it stands. */
export interface SurroundingsParts {
  readonly sessionId: string;
  readonly agents: readonly string[];
  readonly sandbox: SandboxGrade;
  readonly roots: readonly string[];
  readonly redactor: Redactor;
  readonly memory: ApprovalMemory;
  readonly taint: Taint;
  requires(): RequirementSet;
  /** What a call adds to the taint of a session with these roots. */
  labelsOf(call: JudgedCall, roots: readonly string[]): readonly Label[];
}

const MOST_RECENT = 64;
const LONGEST_KEPT = 4_096;

/** Keeps what has happened in a session, as far as decisions ask for it. */
export class Surroundings {
  readonly #parts: SurroundingsParts;
  readonly #recent: RecentCall[] = [];
  #last: Circumstances | undefined;

  constructor(parts: SurroundingsParts) {
    this.#parts = parts;
  }

  get memory(): ApprovalMemory {
    return this.#parts.memory;
  }

  get agents(): readonly string[] {
    return this.#parts.agents;
  }

  /** Most turns run on behalf of the same. */
  of(principal: Principal): Circumstances {
    if (this.#last?.principal !== principal) this.#last = this.#make(principal);
    return this.#last;
  }

  /** It was decided for the first time: repetitions are counted from here. */
  propose({ found, argsText }: JudgedCall): void {
    if (this.#recent.length >= MOST_RECENT) this.#recent.splice(0, MOST_RECENT / 2);
    const kept =
      argsText.length <= LONGEST_KEPT ? argsText : `${argsText.length}:${argsText.slice(0, LONGEST_KEPT)}`;
    this.#recent.push({ toolName: found.name, argsText: kept });
  }

  /**
   * Marks what the call takes in or touches. That is done when it is decided and not when it is over:
   * calls of one batch are decided before any of them runs.
   */
  mark(call: JudgedCall, decision: Decision): void {
    if (decision.action === "deny" || this.#parts.taint.isFull) return;
    const labels = this.#parts.labelsOf(call, this.#parts.roots);
    if (labels.length > 0) this.#parts.taint.add(labels);
  }

  /** A source may say of what it gave that it is private. That every output is untrusted goes without saying. */
  carry(labels: readonly Label[]): void {
    if (labels.includes("private")) this.#parts.taint.add(["private"]);
  }

  #make(principal: Principal): Circumstances {
    const { sessionId, agents, sandbox, roots, redactor, memory, taint, requires } = this.#parts;
    return {
      sessionId,
      principal,
      agents,
      sandbox,
      roots,
      taint: taint.labels,
      get requires() {
        return requires();
      },
      recent: this.#recent,
      holdsSecret: (text) => redactor.find(text).length > 0,
      isApproved: (call, asker) => memory.isApproved(call, asker),
      definitionHash: definitionFingerprint,
    };
  }
}
