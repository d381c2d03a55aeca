import { alternativesOf, compileGlob, type TargetPattern } from "./compile-glob.ts";
import type { TargetKind } from "./target-kind.ts";

/** What is filed, and how its pattern must grip a target for it to be found. */
export interface IndexedPattern<Entry> {
  readonly pattern: string;
  readonly grip: "matches" | "mayMatch";
  readonly entry: Entry;
}

/** The leaves that grip a target, some perhaps twice; `undefined` where each must be asked. */
export type FindLeaves<Entry> = (target: string) => readonly Leaf<Entry>[] | undefined;

/** One pattern in an index. */
export class Leaf<Entry> {
  readonly pattern: string;
  readonly grip: "matches" | "mayMatch";
  readonly entry: Entry;
  /** What the pattern stands for without its braces; nothing where it cannot be read. */
  readonly alternatives: readonly string[];
  /** It grips whatever comes. */
  readonly gripsAll: boolean;
  /** The search that found it last. */
  foundIn = 0;
  #compiled: TargetPattern | undefined;

  constructor({ pattern, grip, entry }: IndexedPattern<Entry>) {
    const alternatives = alternativesOf(pattern);
    this.pattern = pattern;
    this.grip = grip;
    this.entry = entry;
    this.alternatives = alternatives ?? [];
    this.gripsAll = alternatives === undefined ? grip === "mayMatch" : alternatives.includes("**");
  }

  grips(target: string, kind: TargetKind): boolean {
    this.#compiled ??= compileGlob(this.pattern);
    return this.#compiled[this.grip](target, kind);
  }
}
