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
  const text = readFileSync(join(import.meta.dirname, "sandbox.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SandboxAttack);
}

/** What became of one attack: everything that does not hold, in words. */
export interface AttackReport {
  readonly id: string;
  readonly faults: readonly string[];
}
