import type { Redactor, Rule } from "@toolkeep/core";
import { ruleText } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { toolRules } from "../hooks/decide/verdict/hook-question.ts";
import { protectedBy } from "../project/pause/protected-asks.ts";
import { allowCommand } from "../project/policy-advice.ts";
import type { DecidedRecord } from "./decide-history.ts";

/** A rule as a line of a policy file, and the command that adds it. */
interface WrittenRule {
  readonly line: string;
  readonly command: string;
}

/** Rules that together remove a number of questions. */
export interface RuleChoice {
  readonly rules: readonly WrittenRule[];
  readonly removes: number;
}

/** The questions that the same rules remove. */
export interface AskedGroup {
  readonly rules: readonly WrittenRule[];
  readonly times: number;
}

/**
 * The narrowest rules that together allow a call that asks; none where no rule helps, where a rule would hold a secret,
 * and where the question protects keys, what is published, Toolkeep itself, or a file that decides what commands run.
 */
export function rulesFor({ explained = [] }: DecidedRecord, redactor: Redactor): readonly WrittenRule[] {
  const found = new Map<string, WrittenRule>();
  for (const one of explained) {
    const { exactRules = toolRules(one.effects) } = one;
    if (exactRules.length === 0 || isProtected(one)) return [];
    for (const { permission, pattern } of exactRules) {
      const rule: Rule = { action: "allow", permission, ...(pattern === undefined ? {} : { pattern }) };
      const line = ruleText(rule);
      if (redactor.find(line).length > 0) return [];
      found.set(line, { line, command: allowCommand(rule) });
    }
  }
  return [...found.values()];
}

function isProtected(explained: Explanation): boolean {
  const { decision, steps } = explained;
  const isWritten = steps.some(
    ({ layer, said, effect }) => layer === "rule" && said === "ask" && effect?.capability === "fs.write",
  );
  return isWritten || protectedBy(explained) !== undefined || !isOfRules(decision);
}

function isOfRules({ askedBy = [] }: { readonly askedBy?: readonly string[] }): boolean {
  return askedBy.every((asker) => asker === "rules");
}

const MOST_RULES = 10;
const MOST_COMPARED = 500;

/** At most ten rules that together remove most questions: each time those that remove most for each new rule. */
export function chosenRules(groups: readonly AskedGroup[]): readonly RuleChoice[] {
  const open = groups.toSorted((one, other) => other.times - one.times).slice(0, MOST_COMPARED);
  const chosen = new Set<string>();
  const choices: RuleChoice[] = [];
  for (;;) {
    const best = open
      .map((group) => gainOf(group, { open, chosen }))
      .filter(({ rules }) => rules.length > 0 && chosen.size + rules.length <= MOST_RULES)
      .reduce<RuleChoice | undefined>(
        (one, other) => (one && worth(one) >= worth(other) ? one : other),
        undefined,
      );
    if (best === undefined) return choices;
    for (const { line } of best.rules) chosen.add(line);
    choices.push(best);
  }
}

function worth({ rules, removes }: RuleChoice): number {
  return removes / rules.length;
}

interface Choosing {
  readonly open: readonly AskedGroup[];
  readonly chosen: ReadonlySet<string>;
}

/** The rules of a group that are not chosen yet, and all questions that they remove then. */
function gainOf(group: AskedGroup, { open, chosen }: Choosing): RuleChoice {
  const rules = group.rules.filter(({ line }) => !chosen.has(line));
  const all = new Set([...chosen, ...rules.map(({ line }) => line)]);
  const isRemoved = (one: AskedGroup, by: ReadonlySet<string>) => one.rules.every(({ line }) => by.has(line));
  const removed = open.filter((one) => isRemoved(one, all) && !isRemoved(one, chosen));
  return { rules, removes: removed.reduce((sum, { times }) => sum + times, 0) };
}
