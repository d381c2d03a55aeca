import type { ProjectApprovals, RememberedApproval } from "../../contract/approval.ts";
import type { PolicyCall } from "../../contract/call.ts";
import { approvalKey } from "./approval-key.ts";
import { entriesOf, type Situation } from "./fingerprint.ts";

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

  /** Returns what it is remembered under. For the project only where there is a store for that. */
  async remember(
    call: PolicyCall,
    askers: readonly string[],
    situation: Situation,
    { scope, by }: { readonly scope?: "session" | "project"; readonly by?: string },
  ): Promise<readonly string[]> {
    const all: string[] = [];
    for (const asker of askers) {
      const about: RememberedApproval = {
        toolName: call.found.name,
        origin: call.found.originName,
        approvalKey: approvalKey(call),
        asker,
        ...(by === undefined ? {} : { by }),
      };
      for (const entry of await entriesOf(call, asker, situation)) {
        all.push(entry);
        this.#session.add(entry);
        if (scope === "project") await this.#project?.add(entry, about);
      }
    }
    return all;
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
