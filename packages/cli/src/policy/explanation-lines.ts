import type { Effect } from "@toolkeep/core";
import { defined, effectWords, visible } from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import { requestOf } from "../hooks/decide/verdict/hook-question.ts";
import { allowCommand, policyAdvice } from "../project/policy-advice.ts";
import type { Project } from "../project/read-project.ts";
import type { StyledLine } from "../terminal/styled-lines.ts";
import type { ExplainedPart } from "./explained-call.ts";
import { COLOURS, LAYERS } from "./layer-words.ts";

/** A call for people: what it does, every step of the decision, the decision, and what to type to allow it. */
export function explanationLines(part: ExplainedPart, project: Project): readonly (string | StyledLine)[] {
  const { tool, explained } = part;
  const title: StyledLine = { text: `${visible(tool)}  ${visible(shownArguments(part))}`, style: "bold" };
  const { explanation, failure } = explained;
  if (explanation === undefined)
    return [title, `Refused before the policy: ${visible(failure.message)}`, ...hintLines(failure.hint)];
  const { decision, steps, effects, labels = [] } = explanation;
  return [
    title,
    { text: "What it does", style: "dim" },
    ...effectLines(effects),
    ...labels.map(labelText),
    { text: "Why", style: "dim" },
    ...new Set(steps.filter(isOwnStep).map(stepLine)),
    ...widenedBy(explanation, project).map(
      (rule) =>
        `  The project's policy, which you trust, allows this where no other file has a rule: ${visible(rule)}`,
    ),
    {
      text: `Decision: ${decision.action.toUpperCase()}${observedText(explanation)}`,
      style: COLOURS[decision.action],
    },
    ...(decision.reason === undefined ? [] : [`  ${visible(decision.reason)}`]),
    ...shadowLines(decision),
    ...factLines(explanation),
    ...adviceLines(part, explanation, project),
  ];
}

function shadowLines({ shadow }: Explanation["decision"]): readonly string[] {
  if (shadow === undefined) return [];
  return [`On trial: it would be ${shadow.action.toUpperCase()}`, `  ${visible(shadow.reason)}`];
}

/** What the rules knew of time and of earlier calls. */
function factLines({ decision: { facts } }: Explanation): readonly string[] {
  if (facts === undefined) return [];
  const counted = Object.entries(facts.rates ?? {}).map(
    ([what, times]) => `  counted ${times}: ${visible(what)}`,
  );
  return [`  at ${new Date(facts.now).toISOString()}`, ...counted];
}

/** The rules of a trusted project without which the call would ask. */
function widenedBy({ steps }: Explanation, { config }: Pick<Project, "config">): readonly string[] {
  const files = config.policy.filter(({ layer }) => layer === "project" || layer === "local");
  const rules = steps.filter(
    ({ layer, said, at = "" }) =>
      layer === "rule" && said === "allow" && files.some(({ path }) => at.startsWith(`${path}:`)),
  );
  return [...new Set(rules.map(({ matchedBy, at }) => `${matchedBy} (${at})`))];
}

function shownArguments({ tool, arguments: args }: ExplainedPart): string {
  const { command } = args;
  return tool === "bash" && typeof command === "string" && Object.keys(args).length === 1
    ? command
    : JSON.stringify(args);
}

function hintLines(hint: string | undefined): readonly string[] {
  return hint === undefined ? [] : [`  ${visible(hint)}`];
}

function effectLines(effects: readonly Effect[]): readonly string[] {
  const stated = new Set(effects.filter(({ implied }) => implied !== true).map(effectWords));
  const implied = new Set(effects.map(effectWords)).difference(stated);
  const lines = [...stated, ...[...implied].map((line) => `${line}, which follows from it`)];
  return lines.length === 0 ? ["  nothing outside of the conversation"] : lines.map((line) => `  ${line}`);
}

function labelText({ label, words, at, path }: NonNullable<Explanation["labels"]>[number]): string {
  const place = at === undefined ? "" : ` (${visible(at)})`;
  return `  marks the session as ${label}: ${visible(words)}${place} on ${visible(path)}`;
}

/** What follows from another effect is decided with it. */
function isOwnStep({ layer, matchedBy }: ExplainedStep): boolean {
  return layer !== "default" || matchedBy !== "implied";
}

function stepLine({ layer, said, matchedBy, at, effect, reason }: ExplainedStep): string {
  const place = at === undefined ? "" : ` (${visible(at)})`;
  const about = effect === undefined ? "" : ` on ${visible(`${effect.capability} ${effect.target}`)}`;
  if (layer === "default" && said === "ask")
    return `  ${said.padEnd(7)} no rule matches${about.replace(/^ on/, "")}`;
  const isShown = reason !== undefined && (layer !== "rule" || said === "nothing");
  const why = isShown ? `: ${visible(reason)}` : "";
  return `  ${said.padEnd(7)} ${LAYERS[layer]}: ${visible(matchedBy)}${place}${about}${why}`;
}

function observedText({ decision: { observed } }: Explanation): string {
  return observed === undefined ? "" : ` (in another mode than observe: ${observed.action.toUpperCase()})`;
}

function adviceLines(
  { allowing }: ExplainedPart,
  explanation: Explanation,
  project: Project,
): readonly string[] {
  const { decision, changes } = explanation;
  const question = { ...requestOf(explanation), exactRules: allowing };
  const advice = decision.action === "ask" ? policyAdvice(question, project) : "";
  return advice === "" ? changes.map((change) => `To change it: ${visible(change)}`) : [advice];
}

/** The same for programs. */
export function explanationRecord(
  { tool, arguments: args, explained, allowing }: ExplainedPart,
  project: Pick<Project, "config">,
) {
  const { explanation, failure } = explained;
  if (explanation === undefined)
    return {
      tool,
      arguments: args,
      action: "deny",
      reason: failure.message,
      effects: [],
      steps: [],
      allow: [],
    };
  const { decision, effects, steps, changes, labels = [] } = explanation;
  const { action, reason, layer, matchedBy, at } = decision;
  const widened = widenedBy(explanation, project);
  return {
    tool,
    arguments: args,
    action,
    by: `${layer}: ${matchedBy}`,
    ...defined({ at, reason, shadow: decision.shadow }),
    effects: effects.map((effect) => ({ ...effect, words: effectWords(effect) })),
    ...(labels.length === 0
      ? {}
      : { labels: labels.map(({ label, words, at, path }) => ({ label, words, at, path })) }),
    steps,
    ...(decision.facts === undefined ? {} : { facts: decision.facts }),
    ...(widened.length === 0 ? {} : { widenedBy: widened }),
    allow: [...allowing, ...requestOf(explanation).suggestions].map(allowCommand),
    changes,
  };
}
