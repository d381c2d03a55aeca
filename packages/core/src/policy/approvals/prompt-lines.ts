import type { ApprovalRequest } from "../../contract/approval.ts";
import type { Effect } from "../../contract/effect.ts";
import { isOwn, originName } from "../../contract/origin.ts";
import { ruleText } from "../compile-rule.ts";
import { visible } from "./visible.ts";

const MOST_EFFECTS = 256;
const MOST_ARGUMENTS = 50;
/** What is approved must be read as a whole; more than this nobody reads. */
const LONGEST = 10_000;
const LONGEST_NAME = 2_000;

export interface Prompt {
  readonly lines: readonly string[];
  /** Whether everything that would be approved is in the lines. */
  readonly isWhole: boolean;
}

/**
 * A request in lines for a person. What comes from a model or a tool stands behind a bar, one piece
 * to a line, so that it cannot pose as the frame around it.
 */
export function promptLines(
  request: Omit<ApprovalRequest, "lines">,
  { isBoundToArguments }: { readonly isBoundToArguments: boolean },
): Prompt {
  const { toolName, origin, agents, effects, reason, treatment, suggestions } = request;
  const args = argumentsOf(request);
  const isWhole =
    effects.length <= MOST_EFFECTS &&
    args.length <= MOST_ARGUMENTS &&
    args.every(([name]) => name.length <= LONGEST_NAME) &&
    [...effects.map(({ target }) => target), ...args.map(([, value]) => value)].every(
      (text) => text.length <= LONGEST,
    );
  const from = isOwn(origin) ? "" : ` (${visible(originName(origin))})`;
  const path =
    agents.length === 0 ? "" : ` for the agent ${agents.map((agent) => visible(agent)).join(" > ")}`;
  const lines = [
    `Allow ${visible(toolName)}${from}${path}?`,
    ...effects.slice(0, MOST_EFFECTS).map(effectLine),
    ...(args.length === 0 ? [] : ["With these arguments:"]),
    ...args
      .slice(0, MOST_ARGUMENTS)
      .map(([name, value]) => `  | ${visible(name)}: ${visible(value, LONGEST)}`),
    `Why it asks: ${visible(reason)}`,
    ...(treatment.show === "undo" ? ["This cannot be taken back by itself."] : []),
    ...(isWhole ? [] : ["Not all of it could be shown."]),
    ...(request.mayRemember && isWhole
      ? alwaysLines(request, isBoundToArguments)
      : ["This is asked every time."]),
    ...(suggestions.length === 0 ? [] : ["Wider rules would be:"]),
    ...suggestions.map((rule) => `  | ${visible(ruleText(rule))}`),
  ];
  return { lines, isWhole };
}

function alwaysLines({ approvalKey }: Omit<ApprovalRequest, "lines">, isBoundToArguments: boolean): string[] {
  const how = isBoundToArguments ? "with the same arguments" : "whatever the other arguments";
  return [`Always means this, ${how}:`, `  | ${visible(approvalKey)}`];
}

function effectLine({ capability, target, known = "declared", forced, note }: Effect): string {
  const how = [...(known === "declared" ? [] : [known]), ...(note === undefined ? [] : [visible(note)])];
  const basis = how.length === 0 ? "" : ` (${how.join(", ")})`;
  return `  | ${visible(capability)} ${visible(target, LONGEST)}${forced ? ", forced" : ""}${basis}`;
}

function argumentsOf({ arguments: args }: Omit<ApprovalRequest, "lines">): readonly [string, string][] {
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : [];
  return entries.map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
}
