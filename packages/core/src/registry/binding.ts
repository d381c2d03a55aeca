import type { RegisteredTool } from "../contract/tool/tool.ts";
import { aliasesOf } from "./tool-names.ts";

/** The tools one turn sees, from its first call to its last. */
export interface ToolView {
  get(name: string): RegisteredTool | undefined;
  list(): readonly RegisteredTool[];
  /** The turn is over: tools that were replaced meanwhile can be disposed. */
  release(): void;
}

/** No tool has this name. */
const AMBIGUOUS = "";

/** The tools as they are between two changes. All turns that begin in that time share it. */
export class Binding implements ToolView {
  readonly #bound: Map<string, RegisteredTool>;
  readonly #aliases: Map<string, string>;
  #turns = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(bound: Map<string, RegisteredTool>, aliases: Map<string, string>) {
    this.#bound = bound;
    this.#aliases = aliases;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#bound.get(name) ?? this.#bound.get(this.#aliases.get(name) ?? "");
  }

  list(): readonly RegisteredTool[] {
    return [...this.#bound.values()];
  }

  open(): void {
    this.#turns += 1;
  }

  release(): void {
    this.#turns -= 1;
    if (this.#turns === 0) this.#idle?.resolve();
  }

  /** Resolves when the last turn that began with these tools is over. */
  idle(): Promise<void> {
    if (this.#turns === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Itself, if no turn has seen it yet; else a copy that may be changed. */
  changed(name: string, winner: RegisteredTool | undefined): Binding {
    const next = this.#turns === 0 ? this : new Binding(new Map(this.#bound), new Map(this.#aliases));
    next.#change(name, winner);
    return next;
  }

  #change(name: string, winner: RegisteredTool | undefined): void {
    const before = this.#bound.get(name);
    for (const alias of before === undefined ? [] : aliasesOf(before.tool)) this.#aliases.delete(alias);
    if (winner === undefined) {
      this.#bound.delete(name);
      return;
    }
    for (const alias of aliasesOf(winner.tool)) {
      // Two tools that share an alias share it with nobody: the model must name one of them.
      const other = this.#aliases.get(alias);
      this.#aliases.set(alias, other === undefined || other === name ? name : AMBIGUOUS);
    }
    this.#bound.set(name, winner);
  }
}
