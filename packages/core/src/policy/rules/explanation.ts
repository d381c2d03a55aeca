import type { Effect } from "../../contract/call/effect.ts";
import type { Label } from "../../contract/call/result.ts";
import type { Decision, DecisionLayer } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Action, Rule } from "../../contract/policy/rule.ts";
import { visible } from "../shown/visible.ts";

/** What one part of the policy decided about a call, and the result up to there. */
export interface ExplainedStep {
  readonly layer: DecisionLayer;
  readonly said: Action | "nothing";
  /** `narrows`: the stricter one counts. `answers`: it settles an ask. `observes`: it lets pass what is not final. */
  readonly how: "narrows" | "answers" | "observes";
  readonly matchedBy: string;
  readonly reason?: string;
  /** Where the rule is written. */
  readonly at?: string;
  /** The effect that it matched. */
  readonly effect?: Effect;
  /** No later step can loosen it. */
  readonly isFinal?: true;
}

/** A decision with every step that led to it. */
export interface Explanation {
  readonly toolName: string;
  readonly effects: readonly Effect[];
  readonly decision: Decision;
  readonly steps: readonly ExplainedStep[];
  /** What would have to change for the call to be allowed; empty if it is. */
  readonly changes: readonly string[];
  /** Rules that together allow this call and nothing else. Absent where a rule cannot say that, or would not help. */
  readonly exactRules?: readonly Rule[];
  /** The labels of paths that mark the session when the call is made. Absent if there are none. */
  readonly labels?: readonly ExplainedLabel[];
}

/** A label of the policy, and a path that the call reads and the label covers. */
interface ExplainedLabel {
  readonly label: Label;
  /** As a line of a policy file. */
  readonly words: string;
  /** Where it is written. */
  readonly at?: string;
  readonly path: string;
}

/** Port: whether commands of a call that would ask run contained instead, with `contained` in its grant. */
export type MayContain = (call: PolicyCall, explanation: Explanation) => Promise<boolean>;

export function explanationOf(
  call: PolicyCall,
  decision: Decision,
  steps: readonly ExplainedStep[],
): Explanation {
  const { found, effects } = call;
  return { toolName: found.name, effects, decision, steps, changes: changesFor(decision, steps) };
}

/** The steps as text for a terminal. */
export function explainText(explanation: Explanation): string {
  const { toolName, effects, decision, steps, changes, labels = [] } = explanation;
  const lines = [
    visible(toolName),
    ...effects.map(({ capability, target }) => `  does      ${capability} ${visible(target)}`),
    ...labels.map(labelLine),
    ...steps.map(lineOf),
    ...factLines(decision),
    `  so        ${decision.action}${decision.observed === undefined ? "" : ` (${decision.observed.action} if it were not observed)`}`,
    ...changes.map((change) => `  to change ${change}`),
  ];
  return lines.join("\n");
}

function labelLine({ label, words, at, path }: ExplainedLabel): string {
  const place = at === undefined ? "" : ` (${visible(at)})`;
  return `  marks     ${label} by ${visible(words)}${place} on ${visible(path)}`;
}

/** What the rules knew of time and of earlier calls. */
function factLines({ facts }: Decision): readonly string[] {
  if (facts === undefined) return [];
  return [
    `  at        ${new Date(facts.now).toISOString()}`,
    ...Object.entries(facts.rates ?? {}).map(
      ([counted, times]) => `  counted   ${times}: ${visible(counted)}`,
    ),
  ];
}

function lineOf({ layer, said, matchedBy, reason, at, effect }: ExplainedStep): string {
  const about = effect === undefined ? "" : ` on ${effect.capability} ${visible(effect.target)}`;
  const place = at === undefined ? "" : ` (${visible(at)})`;
  const why = reason === undefined ? "" : `: ${visible(reason)}`;
  return `  ${layer.padEnd(9)} ${said.padEnd(7)} ${visible(matchedBy)}${place}${about}${why}`;
}

function changesFor({ action }: Decision, steps: readonly ExplainedStep[]): readonly string[] {
  if (action === "allow") return [];
  const stoppers = steps.filter(({ said }) => said === "ask" || said === "deny");
  const denials = stoppers.filter(({ said }) => said === "deny");
  return [...new Set((denials.length > 0 ? denials : stoppers).map(changeFor))];
}

function changeFor({ layer, said, matchedBy, at, effect, isFinal }: ExplainedStep): string {
  const place = at === undefined ? "" : ` in ${at}`;
  if (layer === "watchdog") return `the settings of the watchdog ${matchedBy}, or what the call does`;
  if (isFinal) return `the final rule \`${matchedBy}\`${place}; nothing else can`;
  if (layer === "stage") return `what the stage machine ${matchedBy} says`;
  if (said === "deny") return `the rule \`${matchedBy}\`${place}: no other rule gets past a deny`;
  if (layer === "rule") return `the rule \`${matchedBy}\`${place}, or add a more specific one`;
  if (layer === "default" && effect !== undefined) {
    return `a rule for it, e.g. \`allow ${effect.capability} ${JSON.stringify(effect.target)}\``;
  }
  return `what ${matchedBy} says`;
}
