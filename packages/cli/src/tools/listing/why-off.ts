import type { ConfigOrigin } from "@toolkeep/node/internal";
import type { Project } from "../../project/read-project.ts";
import { isNamed } from "./decision-on-tool.ts";
import type { Off, ToolDecision } from "./listed-tool.ts";

/** What decides about a tool before it is called. */
export type ListingProject = Pick<Project, "origins" | "policy">;

/** Why a tool is off although it is there: lists of the configuration, or a rule that denies every call. */
export function offOf(
  names: readonly string[],
  { action, by, at }: ToolDecision,
  project: ListingProject,
): { readonly off?: Off } {
  const off = offByLists(names, project);
  if (off !== undefined) return { off };
  // In the mode observe, only denies of the administrator hold, and these are few.
  if (action !== "deny" || project.policy.mode === "observe") return {};
  const place = at === undefined ? "" : ` (${at})`;
  const why = `A rule denies every call: \`${by}\`${place}.`;
  return { off: { why, ...(at === undefined ? {} : { fix: `Change the rule at ${at}.` }) } };
}

/** Why the configuration switches a tool off; `undefined` if it does not. `names`: its name, and its address on a server. */
function offByLists(names: readonly string[], { origins, policy }: ListingProject): Off | undefined {
  const [name = ""] = names;
  const written = (key: string) => origins?.get(key) ?? [];
  // In the mode observe, lists stop nothing unless they are the administrator's.
  const holds = ({ layer }: ConfigOrigin) => policy.mode !== "observe" || layer === "managed";
  const off = written(`tools.${name}.enabled`).filter((one) => holds(one) && one.value === false);
  if (off.length > 0)
    return { why: `The configuration switches it off${placeText(off)}.`, fix: `Remove \`enabled\` there.` };
  const isOn = (list: unknown) =>
    Array.isArray(list) && list.some((entry) => typeof entry === "string" && isNamed(entry, names));
  const denying = written("denied").filter((one) => holds(one) && isOn(one.value));
  if (denying.length > 0)
    return { why: `It is on the list \`denied\`${placeText(denying)}.`, fix: "Remove it there." };
  const missing = written("allowed").filter((one) => holds(one) && !isOn(one.value));
  if (missing.length === 0) return undefined;
  return { why: `It is not on the list \`allowed\`${placeText(missing)}.`, fix: "Add it there." };
}

/** ` (config.jsonc:3)`, for each place. */
function placeText(places: readonly ConfigOrigin[]): string {
  const shown = places.map(({ file, line }) => `${file}:${line}`);
  return shown.length === 0 ? "" : ` (${shown.join(", ")})`;
}
