import { isProtectedName, visible } from "@toolkeep/core/internal";
import type { ContainedOutcome } from "@toolkeep/core/ports";
import { quoted } from "./wants/want-lines.ts";

const MOST_TOLD = 5;
const MOST_ASKED = 20;

/** How it differed from a run outside, the worst first; empty where it did not. */
function lines({ held, refused, pretended }: ContainedOutcome, most: number): readonly string[] {
  const named = protectedFirst(held, ({ path }) => path).map(({ path, why }) => `${quoted(path)} (${why})`);
  const written = protectedFirst(pretended, (path) => path).map(quoted);
  const said = { Blocked: refused, Held: named, Discarded: written };
  return Object.entries(said)
    .filter(([, names]) => names.length > 0)
    .map(([word, names]) => `${word}: ${list(names, most)}`);
}

/** Why the next call of a contained command asks. Held changes alone are applied by `toolkeep keep`. */
export function askedLines(outcome: ContainedOutcome): readonly string[] {
  if (!isAsked(outcome)) return [];
  const { length } = outcome.kept;
  return [...lines(outcome, MOST_ASKED), ...(length === 0 ? [] : [`Applied already: ${changes(length)}`])];
}

function isAsked({ held, refused, pretended, number }: ContainedOutcome): boolean {
  return refused.length > 0 || pretended.length > 0 || (held.length > 0 && number === undefined);
}

/** Tells the model what became of a contained command, if anything differs from a run outside. */
export function trailer(outcome: ContainedOutcome): string | undefined {
  const said = lines(outcome, MOST_TOLD);
  const { kept, held, number, isGoingOn } = outcome;
  const discarded = "What its background processes write to the project from now on is discarded.";
  const later = isGoingOn === true ? [discarded] : [];
  if (said.length === 0 && later.length === 0) return undefined;
  const applied = kept.length === 0 ? "no change" : changes(kept.length);
  const next = [
    ...(isAsked(outcome) ? ["To ask the user, run the same command again."] : []),
    ...(number === undefined || held.length === 0 ? [] : [`The user can run \`toolkeep keep ${number}\`.`]),
    ...later,
  ];
  const became = said.length === 0 ? [] : [...said, `Applied: ${applied}`].map((line) => `${line}.`);
  return ["This command ran contained.", ...became, ...next].join(" ");
}

function changes(count: number): string {
  return count === 1 ? "1 change" : `${count} changes`;
}

/** Programs run them by themselves. */
function protectedFirst<Item>(items: readonly Item[], pathOf: (item: Item) => string): readonly Item[] {
  const rank = (item: Item) => (isProtectedName(pathOf(item)) ? 0 : 1);
  return items.toSorted((one, other) => rank(one) - rank(other));
}

function list(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => visible(name));
  return `${shown.join(", ")}${names.length > most ? ` and ${names.length - most} more` : ""}`;
}
