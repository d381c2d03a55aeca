import type { ProjectApprovals, RememberedApproval } from "../../contract/approval/approval.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import { entriesOf, fingerprint, type Situation } from "../approvers/fingerprint.ts";

const ID_DIGITS = 12;

/** An `always`, and what is kept of it for lists. */
export interface ToRemember extends Pick<RememberedApproval, "approvalKey" | "lines"> {
  readonly scope?: "session" | "project";
  readonly by?: string;
}

export interface Remembered {
  readonly entries: readonly string[];
  readonly scope: "session" | "project";
}

/**
 * The calls a person said `always` to. Kept as fingerprints of tool, origin, definition, key, asker and
 * each effect, so that a call passes only if everything it does was approved for exactly this tool.
 */
export class ApprovalMemory {
  readonly #session = new Set<string>();
  readonly #project: ProjectApprovals | undefined;

  constructor(project?: ProjectApprovals) {
    this.#project = project;
  }

  isApproved(call: PolicyCall, asker: string, situation: Situation): boolean | Promise<boolean> {
    if (this.#session.size === 0 && this.#project === undefined) return false;
    return this.#hasAll(call, asker, situation);
  }

  /**
   * Remembers a call for the project, or for the session where that was meant or nothing keeps approvals of projects.
   * What is kept for the project is not kept in the session too: it ends when it is revoked there.
   */
  async remember(
    call: PolicyCall,
    askers: readonly string[],
    situation: Situation,
    { scope, by, approvalKey, lines }: ToRemember,
  ): Promise<Remembered> {
    const project = scope === "project" ? this.#project : undefined;
    const filed = await Promise.all(
      askers.map(async (asker) => ({ asker, entries: await entriesOf(call, asker, situation) })),
    );
    const all = filed.flatMap(({ entries }) => entries);
    const id = (await fingerprint(all.toSorted().join(" "))).slice(0, ID_DIGITS);
    const about = { id, toolName: call.found.name, origin: call.found.originName, approvalKey, lines };
    for (const { asker, entries } of filed) {
      for (const entry of entries) {
        if (project === undefined) this.#session.add(entry);
        else await project.add(entry, { ...about, asker, ...(by === undefined ? {} : { by }) });
      }
    }
    return { entries: all, scope: project === undefined ? "session" : "project" };
  }

  /** What an earlier life of the session remembered. */
  restore(entries: readonly string[]): void {
    for (const entry of entries) this.#session.add(entry);
  }

  /** Forgets what the session remembered. */
  clear(): void {
    this.#session.clear();
  }

  async #hasAll(call: PolicyCall, asker: string, situation: Situation): Promise<boolean> {
    for (const entry of await entriesOf(call, asker, situation)) {
      if (!this.#session.has(entry) && (await this.#project?.has(entry)) !== true) return false;
    }
    return true;
  }
}
