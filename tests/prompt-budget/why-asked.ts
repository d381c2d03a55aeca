import type { Explained, ExplainedStep } from "@toolkeep/core";
import { parseCommand } from "@toolkeep/node";

/** Which parts of a call are asked about, in words that say what to mend. */
export function whyAsked({ explanation, failure }: Explained): readonly string[] {
  if (explanation === undefined) return [failure.message];
  return explanation.steps.filter(({ said }) => said === "ask").map(reasonOf);
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
