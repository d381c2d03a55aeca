import type { ApprovalRequest } from "../../contract/approval/approval.ts";
import type { Effect } from "../../contract/call/effect.ts";
import { isOwn, originName } from "../../contract/values/origin.ts";
import { needsText } from "../approvers/required-approvers.ts";
import { ruleText } from "../rules/compile-rule.ts";
import { argumentLines, argumentsOf, coverageLines, LONGEST } from "../shown/coverage-lines.ts";
import { onBehalf } from "../shown/on-behalf.ts";
import { visible } from "../shown/visible.ts";

const MOST_EFFECTS = 256;
const MOST_ARGUMENTS = 50;
const LONGEST_NAME = 2_000;

export interface Prompt {
  readonly lines: readonly string[];
  /** Whether everything that would be approved is in the lines. */
  readonly isWhole: boolean;
  /** What `always` allows; missing if it is no answer. */
  readonly alwaysAllows?: readonly string[];
}

export interface PromptOptions {
  readonly isBoundToArguments: boolean;
  /** The user who is asked, where that is certain. */
  readonly asked?: string | undefined;
}

/** A request as lines for a person. Text of a model or a tool is behind a bar, so that it cannot pose as ours. */
export function promptLines(
  request: Omit<ApprovalRequest, "lines">,
  { isBoundToArguments, asked }: PromptOptions,
): Prompt {
  const { toolName, origin, agents, effects, reason, needs, treatment, suggestions } = request;
  const whose = onBehalf(request.principal, asked);
  const args = argumentsOf(request);
  const isWhole =
    effects.length <= MOST_EFFECTS &&
    args.length <= MOST_ARGUMENTS &&
    args.every(([name]) => name.length <= LONGEST_NAME) &&
    [...effects.map(({ target }) => target), ...args.map(([, value]) => value)].every(
      (text) => text.length <= LONGEST,
    );
  const alwaysAllows =
    request.mayRemember && isWhole ? coverageLines(request, isBoundToArguments) : undefined;
  const from = isOwn(origin) ? "" : ` (${visible(originName(origin))})`;
  const path =
    agents.length === 0 ? "" : ` for the agent ${agents.map((agent) => visible(agent)).join(" > ")}`;
  const lines = [
    `Allow ${visible(toolName)}${from}${path}?`,
    ...(whose === undefined ? [] : [`On behalf of ${whose}.`]),
    // A command may be there twice, by its words and by what the disk tells of it.
    ...new Set(effects.slice(0, MOST_EFFECTS).map(effectLine)),
    ...(args.length === 0 ? [] : ["With these arguments:"]),
    ...argumentLines(request).slice(0, MOST_ARGUMENTS),
    `Why it asks: ${visible(reason)}`,
    ...(needs === undefined
      ? []
      : [`Who must approve: ${visible(needsText(needs, request.principal.user))}`]),
    ...(treatment.show === "undo" ? ["This action cannot be undone automatically."] : []),
    ...(isWhole ? [] : ["The request is too long to be shown in full."]),
    ...(alwaysAllows === undefined ? ["This is asked every time."] : alwaysLines(alwaysAllows)),
    ...(suggestions.length === 0 ? [] : ["Rules that would allow this and similar calls:"]),
    ...suggestions.map((rule) => `  | ${visible(ruleText(rule))}`),
  ];
  return { lines, isWhole, ...(alwaysAllows === undefined ? {} : { alwaysAllows }) };
}

function alwaysLines([first = "", ...rest]: readonly string[]): readonly string[] {
  return [`"Always" allows ${first}`, ...rest];
}

function effectLine({ capability, target, known = "declared", forced, note }: Effect): string {
  const how = [...(known === "declared" ? [] : [known]), ...(note === undefined ? [] : [visible(note)])];
  const basis = how.length === 0 ? "" : ` (${how.join(", ")})`;
  return `  | ${visible(capability)} ${visible(target, LONGEST)}${forced ? ", forced" : ""}${basis}`;
}
