import type { ApprovalRequest, Effect, Rule } from "@toolkeep/core";
import { defined, unmatchedWords, visible } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { policyAdvice } from "../../../project/policy-advice.ts";
import type { Project } from "../../../project/read-project.ts";

/** The danger, the rule, what the call does, and what to type so that it does not ask again. */
export function question(
  request: Pick<ApprovalRequest, "reason" | "because" | "effects" | "exactRules" | "rules"> &
    Partial<Pick<ApprovalRequest, "suggestions">>,
  project: Project,
  reader?: "user" | "agent",
): string {
  const advice = policyAdvice(request, project, reader) || lineAdvice(request.effects);
  const parts = [request.reason, whatItDoes(request.effects, request.reason), advice];
  return parts.filter((part) => part !== "").join(" ");
}

/** The same for a call that was explained. A refusal is read by the agent. */
export function questionOf(explanation: Explanation, project: Project, reader?: "user" | "agent"): string {
  return question(requestOf(explanation), project, reader);
}

/** A call that was explained, as the request for its approval would have it. */
export function requestOf({ decision, effects, exactRules = [] }: Explanation) {
  const { action, layer, reason = decision.matchedBy, because, askRules } = decision;
  const suggestions = action === "ask" && layer === "default" ? toolRules(effects) : [];
  return { reason, effects, exactRules, suggestions, ...defined({ rules: askRules, because }) };
}

/** A name of a server is foreign input: one that would be a pattern is not put into a rule. */
const PLAIN_ADDRESS = /^[\w.@/-]+:[\w.@/-]+$/;

/** The rules that allow the tools of servers: there are no narrower ones than those on a tool with any arguments. */
export function toolRules(effects: readonly Effect[]): readonly Rule[] {
  const calls = effects.filter(({ capability }) => capability === "mcp.call");
  if (calls.some(({ target }) => !PLAIN_ADDRESS.test(target))) return [];
  return calls.map(({ target }) => ({ action: "allow", permission: `mcp:${target}` }));
}

const MOST_SHOWN = 3;
const LONGEST_SHOWN = 300;

/** No rule allows a line that cannot be read. A single command, and a shell that is fed, have no other form. */
function lineAdvice(effects: readonly Effect[]): string {
  if (effects.some(({ note = "" }) => note.endsWith(" runs what it is given"))) return "";
  if (effects.some(({ note = "" }) => note.startsWith("it sets ")))
    return "Toolkeep can decide about the line without that.";
  const hasMany = effects.filter(({ capability }) => capability === "shell.run").length > 1;
  return effects.some(
    ({ capability, target }) => capability === "shell.dynamic" && (hasMany || target.includes("$")),
  )
    ? "Toolkeep can decide about its commands one by one, with the values written out."
    : "";
}

function noteOf(effect: Effect, reason: string): readonly string[] {
  const { capability, note } = effect;
  if (note === undefined || reason.includes(note)) return [];
  return [` ${visible(capability === "shell.dynamic" ? unmatchedWords(effect) : note)}`];
}

/** For the user of the client, which shows the command and may show less of the call: what the command touches first. */
function whatItDoes(effects: readonly Effect[], reason: string): string {
  const direct = effects.filter(
    // What `find` puts in the place of `{}` lies in the folders that it is shown to look in.
    ({ implied, capability, target }) =>
      implied !== true && capability !== "unknown" && !target.endsWith("/{}"),
  );
  const [runs, touches] = [direct.filter(isRun), direct.filter((effect) => !isRun(effect))];
  const own = [...new Set([...touches, ...runs].map(({ capability, target }) => `${capability} ${target}`))];
  const shown = own.slice(0, MOST_SHOWN).map((one) => one.slice(0, LONGEST_SHOWN));
  const rest = own.length > MOST_SHOWN ? `, and ${own.length - MOST_SHOWN} more` : "";
  const notes = [...new Set(direct.flatMap((effect) => noteOf(effect, reason)))];
  return shown.length === 0 ? "" : `(${visible(shown.join(", "))}${rest})${notes.join("")}`;
}

function isRun({ capability }: Effect): boolean {
  return capability.startsWith("shell.");
}
