import type { ApprovalRequest } from "../../contract/approval/approval.ts";
import type { Effect } from "../../contract/call/effect.ts";
import { visible } from "./visible.ts";

/** Only what is shown in full can be approved for good; no person reads more than this. */
export const LONGEST = 10_000;

export type Covered = Pick<ApprovalRequest, "toolName" | "approvalKey" | "effects" | "arguments">;

/**
 * What an `always` covers, to be read after "allows": the tool with this key and these effects, and the arguments if
 * the effects say too little. `isBoundToArguments` is what `fingerprint.ts` says of the call.
 */
export function coverageLines(
  { toolName, approvalKey, effects }: Covered,
  isBoundToArguments: boolean,
): readonly string[] {
  const tool = visible(toolName);
  if (!isBoundToArguments && isEveryCall(approvalKey, effects))
    return [`every call of ${tool}, with any arguments: ${visible(approvalKey, LONGEST)}`];
  const how = isBoundToArguments ? "with exactly these arguments" : "with any other arguments";
  return [
    `${tool} again for this, ${how}:`,
    ...coveredBy(approvalKey, effects).map((line) => `  | ${visible(line, LONGEST)}`),
    isBoundToArguments
      ? "Other arguments are not covered."
      : `Other ${kindOfTargets(effects)} are not covered.`,
  ];
}

/** The same for a list, where the arguments are not shown otherwise. */
export function rememberedLines(covered: Covered, isBoundToArguments: boolean): readonly string[] {
  const [first = "", ...rest] = coverageLines(covered, isBoundToArguments);
  if (!isBoundToArguments) return [`Allows ${first}`, ...rest];
  return [`Allows ${first}`, ...rest.slice(0, -1), ...argumentLines(covered), ...rest.slice(-1)];
}

/** The arguments of a request by name, as text. */
export function argumentsOf({ arguments: args }: Pick<Covered, "arguments">): readonly [string, string][] {
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : [];
  return entries.map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
}

/** One line for each argument, behind a bar. */
export function argumentLines(covered: Pick<Covered, "arguments">): readonly string[] {
  return argumentsOf(covered).map(([name, value]) => `  | ${visible(name)}: ${visible(value, LONGEST)}`);
}

/** Every call of a server's tool has these effects: besides the tool itself they name no path, host or command. */
function isEveryCall(approvalKey: string, effects: readonly Effect[]): boolean {
  const isTool = ({ capability, target }: Effect) => capability === "mcp.call" && target === approvalKey;
  return effects.some(isTool) && effects.every((effect) => isTool(effect) || effect.target === "*");
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
