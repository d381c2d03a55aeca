import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An attack on the walls: a command that tries to get out of them. */
export interface SandboxAttack {
  readonly id: string;
  readonly input: { readonly command: string };
  readonly setup: {
    /** Whether the workspace is a repository; it is where nothing is said. */
    readonly repository?: boolean;
  };
  readonly must: { readonly outcome: "contain"; readonly invariant: string };
}

export function readSandboxAttacks(): readonly SandboxAttack[] {
  return records("sandbox.jsonl") as readonly SandboxAttack[];
}

/** An attack that walls cannot hold off alone: commands leave something behind, and the user runs it. */
export interface PlantedAttack {
  readonly id: string;
  /** What the user did before, outside of all walls. */
  readonly setup: string;
  /** Walled commands, one after another. */
  readonly calls: readonly string[];
  /** What the user does then, outside of all walls. */
  readonly after: string;
  /** What the user must get to see by that. */
  readonly shows?: string;
  /** Nothing would happen without walls either: it shows what must not be broken. */
  readonly harmless?: boolean;
  /** The sandbox is the only layer there is for these, and it must stop them. */
  readonly layers?: readonly "profile"[];
  readonly must: string;
}

export function readPlantedAttacks(): readonly PlantedAttack[] {
  return records("sandbox-planted.jsonl") as readonly PlantedAttack[];
}

function records(name: string): readonly unknown[] {
  const text = readFileSync(join(import.meta.dirname, name), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

/** What became of one attack: everything that does not hold, in words. */
export interface AttackReport {
  readonly id: string;
  readonly errors: readonly string[];
}
