import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUG_FIX } from "../day/hook/bug-fix.ts";
import type { ClientCall } from "../day/step.ts";
import { DAYS, stepsOf } from "../day/unseen/days.ts";

const ATTACKS = join(import.meta.dirname, "../attacks");

interface Attack {
  readonly tool?: string;
  readonly input?: { readonly command?: unknown };
  readonly calls?: readonly unknown[];
}

/** Every command line of the days and of the attack corpus. */
export function recordedLines(): readonly string[] {
  const days = [...DAYS.flatMap(stepsOf), ...BUG_FIX].flatMap(({ call }) => lineOf(call));
  const attacks = readdirSync(ATTACKS)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(ATTACKS, name), "utf8").trim().split("\n"))
    .flatMap((text) => attackLines(JSON.parse(text) as Attack));
  return [...new Set([...days, ...attacks])];
}

function lineOf({ tool, input }: ClientCall): readonly string[] {
  return tool === "Bash" ? [String(input["command"])] : [];
}

function attackLines({ input, calls = [] }: Attack): readonly string[] {
  return [input?.command, ...calls].filter((line) => typeof line === "string");
}
