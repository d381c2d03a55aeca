import type { Explained, ExplainedStep } from "@toolkeep/core/policy";
import { parseCommand } from "@toolkeep/node/internal";

/** Which parts of a call ask, in text that says what to fix. */
export async function whyAsked({ explanation, failure }: Explained): Promise<readonly string[]> {
  if (explanation === undefined) return [failure.message];
  return Promise.all(explanation.steps.filter(({ said }) => said === "ask").map(reasonOf));
}

async function reasonOf({ layer, matchedBy, reason, effect }: ExplainedStep): Promise<string> {
  if (layer !== "default") return `${matchedBy}${reason === undefined ? "" : `: ${reason}`}`;
  if (effect === undefined) return matchedBy;
  const what = `${effect.capability} ${effect.target.replaceAll("\n", "⏎")}`;
  return effect.capability === "shell.dynamic"
    ? `not plain: ${await whyNotPlain(effect.target)}`
    : `no rule: ${what}`;
}

async function whyNotPlain(line: string): Promise<string> {
  const parsed = await parseCommand(line, { home: "/home/ada" });
  return parsed.plain ? "it holds no command" : parsed.reason;
}
