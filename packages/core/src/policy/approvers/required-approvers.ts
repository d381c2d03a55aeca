import type { Decision } from "../../contract/policy/decision.ts";
import type { RequiredApprovers, Rule } from "../../contract/policy/rule.ts";
import { onDemand } from "../../contract/values/on-demand.ts";

const MOST_APPROVERS = 20;
const LONGEST_MS = 366 * 24 * 3_600_000;
/** As for names in conditions. */
const GROUP = onDemand(() => /^[^\p{C}\p{Zl}\p{Zp}"]{1,100}$/u);

/** Why `approvers` of a rule is invalid, or `undefined`. */
export function approversError({ action, approvers }: Rule): string | undefined {
  if (approvers === undefined) return undefined;
  if (action !== "ask") return "only an ask can say by whom it is approved";
  if (typeof approvers !== "object" || approvers === null) return "its approvers are a group and a count";
  const { group, count, withinMs = 1, ...others } = approvers;
  if (Object.keys(others).length > 0)
    return `its approvers have no field ${JSON.stringify(Object.keys(others)[0])}`;
  if (typeof group !== "string" || !GROUP().test(group) || group.trim() !== group)
    return "its approvers have the name of a group";
  if (!Number.isInteger(count) || count < 1 || count > MOST_APPROVERS)
    return `the count of its approvers is 1 to ${MOST_APPROVERS}`;
  if (!Number.isInteger(withinMs) || withinMs < 1 || withinMs > LONGEST_MS)
    return "the time of its approvers is at most 366 days";
  return undefined;
}

/** `by 2 of group payments within 1h`, as in a policy file. */
export function approversText({ group, count, withinMs }: RequiredApprovers): string {
  const name = /^[^\s"]+$/.test(group) ? group : JSON.stringify(group);
  const many = count === 1 ? "" : `${count} of `;
  return `by ${many}group ${name}${withinMs === undefined ? "" : ` within ${durationText(withinMs)}`}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** In the largest unit that it is a whole number of. */
function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}

/** The milliseconds of `90s`, `30m`, `1h` or `2d`; `undefined` for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const size = unit === "ms" ? 1 : UNITS.find(([name]) => name === unit)?.[1];
  return count === undefined || size === undefined ? undefined : Number(count) * size;
}

/** What two asks need together: of one group the larger count in the shorter time. */
function joinedNeeds(
  one: readonly RequiredApprovers[] | undefined,
  other: readonly RequiredApprovers[] | undefined,
): readonly RequiredApprovers[] | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  const byGroup = new Map<string, RequiredApprovers>();
  for (const need of [...one, ...other]) {
    const before = byGroup.get(need.group);
    byGroup.set(need.group, before === undefined ? need : stricterNeed(before, need));
  }
  return [...byGroup.values()];
}

function stricterNeed(one: RequiredApprovers, other: RequiredApprovers): RequiredApprovers {
  const times = [one.withinMs, other.withinMs].filter((time) => time !== undefined);
  const within = times.length === 0 ? {} : { withinMs: Math.min(...times) };
  return { group: one.group, count: Math.max(one.count, other.count), ...within };
}

/** An ask with what another ask about the same call needs in addition. */
export function askingBoth(one: Decision, other: Decision): Decision {
  const needs = joinedNeeds(one.needs, other.needs);
  const rules = other.askRules ?? [];
  const askRules = [...new Set([...(one.askRules ?? []), ...rules])];
  if (needs === one.needs && askRules.length === (one.askRules ?? []).length) return one;
  const also = other.needs === undefined || needs === one.needs ? undefined : other.reason;
  return {
    ...one,
    ...(also === undefined || one.reason?.includes(also) === true
      ? {}
      : { reason: `${one.reason ?? ""} ${also}`.trim() }),
    ...(askRules.length === 0 ? {} : { askRules }),
    ...(needs === undefined ? {} : { needs, neverRemember: true as const }),
  };
}

/** For a person: who must approve. */
export function needsText(needs: readonly RequiredApprovers[], requester: string | undefined): string {
  const parts = needs.map(
    ({ group, count, withinMs }) =>
      `${count} of the group ${group}${withinMs === undefined ? "" : ` within ${durationText(withinMs)}`}`,
  );
  return `${parts.join(" and ")}, by signature${requester === undefined ? "" : `, not ${requester}`}`;
}
