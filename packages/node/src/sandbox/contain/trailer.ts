import { isProtectedName, visible } from "@toolkeep/core/internal";
import type { ContainedOutcome } from "@toolkeep/core/ports";
import { quoted } from "./wants/want-lines.ts";

const MOST_TOLD = 5;
const MOST_ASKED = 20;

/** What differs from a run outside; empty where nothing does. What matters most comes first. */
function lines({ held, refused, pretended }: ContainedOutcome, most: number): readonly string[] {
  const named = protectedFirst(held, ({ path }) => path).map(({ path, why }) => `${quoted(path)} (${why})`);
  const written = protectedFirst(pretended, (path) => path).map(quoted);
  return [
    ...(refused.length === 0 ? [] : [`reached for ${list(refused, most)}, which was refused`]),
    ...(held.length === 0 ? [] : [`changed ${list(named, most)}, which is held`]),
    ...(pretended.length === 0 ? [] : [`wrote ${list(written, most)}, which is thrown away`]),
  ];
}

/** What of a contained command has to be asked when it comes again. What is only held, `toolkeep keep` brings. */
export function askedLines(outcome: ContainedOutcome): readonly string[] {
  if (!isAsked(outcome)) return [];
  const { length } = outcome.kept;
  const made =
    length === 0
      ? []
      : [`made ${length === 1 ? "1 change that is" : `${length} changes that are`} in the project already`];
  return [...lines(outcome, MOST_ASKED), ...made];
}

function isAsked({ held, refused, pretended, number }: ContainedOutcome): boolean {
  return refused.length > 0 || pretended.length > 0 || (held.length > 0 && number === undefined);
}

/** For the model: what became of a contained command, if anything differs from a run outside. */
export function trailer(outcome: ContainedOutcome): string | undefined {
  const said = lines(outcome, MOST_TOLD);
  const { kept, held, number, isGoingOn } = outcome;
  const goingOn =
    isGoingOn === true ? " What its background processes write to the project from now on is discarded." : "";
  if (said.length === 0) return goingOn === "" ? undefined : `This command ran contained.${goingOn}`;
  const nothing =
    held.length > 0 || outcome.refused.length > 0 ? "nothing was kept" : "the project is unchanged";
  const rest = kept.length === 0 ? nothing : `${kept.length} of its changes were kept`;
  const ask = isAsked(outcome) ? " To ask the user, run the same command again." : "";
  const look =
    number === undefined || held.length === 0 ? "" : ` The user can run \`toolkeep keep ${number}\`.`;
  return `This command ran contained: it ${said.join("; ")}; ${rest}.${ask}${look}${goingOn}`;
}

/** Programs run them by themselves. */
function protectedFirst<Item>(items: readonly Item[], pathOf: (item: Item) => string): readonly Item[] {
  const rank = (item: Item) => (isProtectedName(pathOf(item)) ? 0 : 1);
  return items.toSorted((one, other) => rank(one) - rank(other));
}

function list(names: readonly string[], most: number): string {
  const rest = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names
    .slice(0, most)
    .map((name) => visible(name))
    .join(", ")}${rest}`;
}
