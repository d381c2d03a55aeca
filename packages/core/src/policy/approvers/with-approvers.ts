import type { Decision } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { askingBoth } from "./required-approvers.ts";

/** A rule where it applies. */
interface RankedRule {
  readonly rule: Rule;
  readonly decision: Decision;
  readonly level: number;
  readonly literal: number;
}

/** Rules on the tool, on the capability, and on everything. */
type Families<Ranked> = readonly [readonly Ranked[], readonly Ranked[], readonly Ranked[]];

interface Ranking<Ranked> {
  best(...families: Families<Ranked>): Ranked | undefined;
  /** The more specific rule first. */
  compare(one: Ranked, other: Ranked): number;
}

/**
 * An ask is approved by those whom the most specific rules with approvers name, in each family: a more specific ask
 * without approvers does not replace them, nor does a rule that an answer added. Those of final rules always count, so
 * that no other file can name fewer; those of a project's file are added to the others.
 */
export function withApprovers<Ranked extends RankedRule>(
  winner: Ranked | undefined,
  families: Families<Ranked>,
  ranking: Ranking<Ranked>,
): Ranked | undefined {
  const [ofTool, ofCapability, ofAll] = families;
  const isPlain = !(ofTool.some(hasApprovers) || ofCapability.some(hasApprovers) || ofAll.some(hasApprovers));
  if (winner === undefined || isPlain) return winner;
  if (winner.rule.action === "allow") {
    if (isWritten(winner)) return winner;
    const own = [ofTool.filter(isWritten), ofCapability.filter(isWritten), ofAll.filter(isWritten)] as const;
    const written = withApprovers(ranking.best(...own), own, ranking);
    return written?.decision.needs === undefined ? winner : written;
  }
  const isNamed = [...ofTool, ...ofCapability].some((one) => one.rule.action !== "deny" && isWritten(one));
  const final = [...ofTool, ...ofCapability, ...ofAll].filter(
    (one) => hasApprovers(one) && one.rule.final === true,
  );
  const named = isNamed ? [ofTool, ofCapability] : [ofAll];
  const asking = [
    ...final,
    ...named.flatMap((family) => [
      ...mostSpecific(
        family.filter((one) => !isOfProject(one)),
        ranking,
      ),
      ...mostSpecific(family.filter(isOfProject), ranking),
    ]),
  ];
  const decision = asking.reduce((before, one) => askingBoth(before, one.decision), winner.decision);
  return decision === winner.decision ? winner : { ...winner, decision };
}

function hasApprovers({ rule }: RankedRule): boolean {
  return rule.approvers !== undefined;
}

function isOfProject({ rule }: RankedRule): boolean {
  return rule.yieldsToAsk === true;
}

/** Whether the rule is written in a policy; the others were added by answers. */
function isWritten({ rule }: RankedRule): boolean {
  return rule.yieldsToDeny !== true;
}

/** Several where they are equally specific. */
function mostSpecific<Ranked extends RankedRule>(
  family: readonly Ranked[],
  { compare }: Ranking<Ranked>,
): readonly Ranked[] {
  const required = family.filter(hasApprovers).toSorted(compare);
  const [first] = required;
  return required.filter(({ level, literal }) => level === first?.level && literal === first.literal);
}
