import type { Label } from "../../contract/call/result.ts";

/** A new mark of a session, to be recorded. */
export type TaintMark =
  | { readonly label: Label; readonly by?: string }
  | { readonly script: string; readonly isApproved?: true };

/** What a session and its children have taken in, touched, or changed of what is run. Once marked, it stays. */
export class Taint {
  readonly labels: ReadonlySet<Label>;
  /** What each label came from, where that is known. */
  readonly causes: ReadonlyMap<Label, string>;
  readonly scripts: ReadonlySet<string>;
  readonly #labels = new Set<Label>();
  readonly #causes = new Map<Label, string>();
  readonly #scripts = new Set<string>();
  readonly #listeners = new Set<(mark: TaintMark) => void>();

  constructor() {
    this.labels = this.#labels;
    this.causes = this.#causes;
    this.scripts = this.#scripts;
  }

  /** Whether there is no label left to mark. */
  get isFull(): boolean {
    return this.#labels.size === 2;
  }

  /** How much was marked so far. */
  get size(): number {
    return this.#labels.size + this.#scripts.size;
  }

  /** The first cause of a label is kept. */
  add(label: Label, by?: string): void {
    if (this.#labels.has(label)) return;
    this.#labels.add(label);
    if (by !== undefined) this.#causes.set(label, by);
    this.#tell(by === undefined ? { label } : { label, by });
  }

  /** Files that say what commands run were changed. */
  addScripts(paths: readonly string[]): void {
    for (const script of paths) {
      if (this.#scripts.has(script)) continue;
      this.#scripts.add(script);
      this.#tell({ script });
    }
  }

  /** An approver allowed to run these as they are: they are like unchanged until they change again. */
  approveScripts(paths: readonly string[]): void {
    for (const script of paths) if (this.#scripts.delete(script)) this.#tell({ script, isApproved: true });
  }

  /** Told of everything that is new, until it is undone. */
  listen(tell: (mark: TaintMark) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }

  #tell(mark: TaintMark): void {
    for (const tell of this.#listeners) tell(mark);
  }
}
