import type { ApprovalRequest } from "../../contract/approval.ts";
import { originName } from "../../contract/origin.ts";
import { wordsOf } from "../compile-rule.ts";
import { isVague } from "./is-vague.ts";
import { visible } from "./visible.ts";

const MOST_EFFECTS = 256;
const MOST_ARGUMENTS = 20;
/** Longer than any target: what is approved must be read as a whole. */
const WHOLE = 100_000;

/**
 * A request in lines for a person. What comes from a model or a tool stands behind a bar, one piece
 * to a line, so that it cannot pose as the frame around it.
 */
export function promptLines(request: Omit<ApprovalRequest, "lines">): readonly string[] {
  const { toolName, origin, agents, effects, reason, treatment, suggestions, mayRemember } = request;
  const from =
    agents.length === 0 ? "" : ` for the agent ${agents.map((agent) => visible(agent)).join(" > ")}`;
  return [
    `Allow ${visible(toolName)} (${visible(originName(origin))})${from}?`,
    ...effects.slice(0, MOST_EFFECTS).map(({ capability, target, known = "declared", forced, note }) => {
      const how = [...(known === "declared" ? [] : [known]), ...(note === undefined ? [] : [visible(note)])];
      const basis = how.length === 0 ? "" : ` (${how.join(", ")})`;
      return `  | ${visible(capability)} ${visible(target, WHOLE)}${forced ? ", forced" : ""}${basis}`;
    }),
    ...(effects.length > MOST_EFFECTS ? [`  and ${effects.length - MOST_EFFECTS} more`] : []),
    ...(isVague(effects) ? ["Its arguments:", ...argumentLines(request)] : []),
    `Why it asks: ${visible(reason)}`,
    ...(treatment.show === "undo" ? ["This cannot be taken back by itself."] : []),
    ...(mayRemember ? [] : ["This is asked every time."]),
    ...suggestions.map((rule) => `Wider: ${visible(wordsOf(rule))}`),
  ];
}

function argumentLines({ arguments: args }: Omit<ApprovalRequest, "lines">): string[] {
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : [];
  const shown = entries.slice(0, MOST_ARGUMENTS).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return `  | ${visible(name)}: ${visible(text)}`;
  });
  return entries.length > MOST_ARGUMENTS
    ? [...shown, `  and ${entries.length - MOST_ARGUMENTS} more`]
    : shown;
}
