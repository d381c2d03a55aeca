import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An attack on the sandbox: a command that tries to escape. */
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

/** An attack that the sandbox alone cannot stop: commands leave something behind, and the user runs it. */
export interface PlantedAttack {
  readonly id: string;
  /** What the user did before, outside the sandbox. */
  readonly setup: string;
  /** Sandboxed commands, one after another. */
  readonly calls: readonly string[];
  /** What the user does then, outside the sandbox. */
  readonly after: string;
  /** What the user must get to see by that. */
  readonly shows?: string;
  /** What the failure of the command must name: the user is told, and goes no further. */
  readonly names?: string;
  /** Nothing may be said about the command. */
  readonly quiet?: boolean;
  /** Harmless without a sandbox too: it shows what must not break. */
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
