import type { Failure } from "@toolkeep/core";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import { parseCommand } from "@toolkeep/node";

/** Which parts of a call are asked about, in words that say what to mend. */
export function whyAsked(explained: Explanation | Failure): readonly string[] {
  if (!("steps" in explained)) return [explained.message];
  return explained.steps.filter(({ said }) => said === "ask").map(reasonOf);
}

function reasonOf({ layer, ground, reason, effect }: ExplainedStep): string {
  if (layer !== "default") return `${ground}${reason === undefined ? "" : `: ${reason}`}`;
  if (effect === undefined) return ground;
  const what = `${effect.capability} ${effect.target.replaceAll("\n", "⏎")}`;
  return effect.capability === "shell.dynamic"
    ? `not plain: ${whyNotPlain(effect.target)}`
    : `no rule: ${what}`;
}

function whyNotPlain(line: string): string {
  const parsed = parseCommand(line, { home: "/home/ada" });
  return parsed.plain ? "it holds no command" : parsed.reason;
}
