import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bash, type ClientCall, edit, read, type Step, surelyPrompts, wordsOf, write } from "../step.ts";
import type { Facts } from "./facts.ts";

/** Whether a question about a step is a false alarm, is right, or must be there. */
export type Kind = "benign" | "reasonable" | "dangerous";

/** One step of a day that no rule was written for. */
export interface UnseenStep extends Step {
  readonly day: string;
  readonly number: number;
  readonly kind: Kind;
  readonly does?: Facts;
}

/** A step as the data has it: one of `run`, `read`, `edit` and `write`. */
export interface Line {
  readonly kind: Kind;
  readonly run?: string;
  readonly background?: true;
  /** Claude Code in its default mode runs it without a question. */
  readonly quiet?: true;
  readonly read?: string;
  readonly edit?: string;
  readonly from?: string;
  readonly to?: string;
  readonly write?: string;
  readonly text?: string;
  /** What it does, stated from the documentation of its program. */
  readonly does?: Facts;
}

/** Days of which is known what their steps do. */
export const DAYS = ["python", "go", "packages", "operations"] as const;
/** Days of which only the decisions are measured. */
export const MORE_DAYS = ["rust", "jvm", "rails", "data", "frontend"] as const;

export function stepsOf(day: string): readonly UnseenStep[] {
  const text = readFileSync(join(import.meta.dirname, "days", `${day}.json`), "utf8");
  return stepsIn(day, JSON.parse(text) as readonly Line[]);
}

export function stepsIn(day: string, lines: readonly Line[]): readonly UnseenStep[] {
  return lines.map((line, index) => {
    const call = callOf(line);
    return {
      ...{ day, number: index + 1, kind: line.kind, call, name: wordsOf(call) },
      ...(line.does === undefined ? {} : { does: line.does }),
      expected: line.kind === "benign" ? "allow" : "ask",
      prompts: line.kind === "dangerous" ? surelyPrompts(call) : !(line.quiet ?? line.read !== undefined),
    };
  });
}

function callOf({
  run,
  background,
  read: seen,
  edit: edited,
  from,
  to,
  write: written,
  text,
}: Line): ClientCall {
  if (run !== undefined) return bash(run, background === true ? { run_in_background: true } : {});
  if (seen !== undefined) return read(`{project}/${seen}`);
  if (edited !== undefined) return edit(`{project}/${edited}`, from, to);
  if (written !== undefined) return write(`{project}/${written}`, text);
  throw new Error("A step of a day has one of run, read, edit and write.");
}
