import type { ApprovalRequest } from "../../contract/approval.ts";
import type { Effect } from "../../contract/effect.ts";
import { isOwn, originName } from "../../contract/origin.ts";
import { ruleText } from "../compile-rule.ts";
import { visible } from "./visible.ts";

const MOST_EFFECTS = 256;
const MOST_ARGUMENTS = 50;
/** Only what is shown in full can be approved for good; no person reads more than this. */
const LONGEST = 10_000;
const LONGEST_NAME = 2_000;

export interface Prompt {
  readonly lines: readonly string[];
  /** Whether everything that would be approved is in the lines. */
  readonly isWhole: boolean;
}

/**
 * A request as lines for a person. Text from a model or a tool is behind a bar, one item per line, so that it cannot
 * be mistaken for the text around it.
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
    // A command may be there twice, by its words and by what the disk tells of it.
    ...new Set(effects.slice(0, MOST_EFFECTS).map(effectLine)),
    ...(args.length === 0 ? [] : ["With these arguments:"]),
    ...args
      .slice(0, MOST_ARGUMENTS)
      .map(([name, value]) => `  | ${visible(name)}: ${visible(value, LONGEST)}`),
    `Why it asks: ${visible(reason)}`,
    ...(treatment.show === "undo" ? ["This action cannot be undone automatically."] : []),
    ...(isWhole ? [] : ["The request is too long to be shown in full."]),
    ...(request.mayRemember && isWhole
      ? alwaysLines(request, isBoundToArguments)
      : ["This is asked every time."]),
    ...(suggestions.length === 0 ? [] : ["Rules that would allow this and similar calls:"]),
    ...suggestions.map((rule) => `  | ${visible(ruleText(rule))}`),
  ];
  return { lines, isWhole };
}

/** What `always` remembers: the tool with this key and these effects, and the arguments if the effects say too little. */
function alwaysLines(
  { approvalKey, toolName, effects }: Omit<ApprovalRequest, "lines">,
  isBoundToArguments: boolean,
): string[] {
  const how = isBoundToArguments ? "with exactly these arguments" : "with any other arguments";
  return [
    `"Always" allows ${visible(toolName)} again for this, ${how}:`,
    ...coveredBy(approvalKey, effects).map((line) => `  | ${visible(line, LONGEST)}`),
    isBoundToArguments
      ? "Other arguments are not covered."
      : `Other ${kindOfTargets(effects)} are not covered.`,
  ];
}

/** The key, and also the effects where the tool derives a key of its own: an approval is bound to both. */
function coveredBy(approvalKey: string, effects: readonly Effect[]): readonly string[] {
  const each = effects.map(({ capability, target }) => `${capability} ${target}`);
  if (each.length === 0 || each.every((line) => approvalKey.includes(line))) return [approvalKey];
  return each.some((line) => line.includes(approvalKey)) ? each : [approvalKey, ...each];
}

function kindOfTargets(effects: readonly Effect[]): string {
  // That the tool itself is called says nothing of what else is covered.
  const own = effects.filter(({ capability }) => capability !== "mcp.call");
  const kinds = new Set(own.map(({ capability }) => TARGETS[capability] ?? "effects"));
  const [kind] = kinds;
  return kind === undefined || kinds.size > 1 ? "effects" : kind;
}

const TARGETS: Readonly<Record<string, string>> = {
  "fs.read": "paths",
  "fs.write": "paths",
  "fs.delete": "paths",
  "net.fetch": "hosts",
  "shell.run": "commands",
};

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
