import { visible } from "@toolkeep/core/internal";
import type { ContainedOutcome } from "@toolkeep/core/ports";

const MOST_NAMED = 5;

/** What of a contained command has to be asked; empty where it did what it would have done outside. */
export function seenLines({ held, refused, pretended }: ContainedOutcome): readonly string[] {
  const heldNames = held.map(({ path, why }) => `${path} (${why})`);
  return [
    ...(refused.length === 0 ? [] : [`reached for ${list(refused)}, which was refused`]),
    ...(held.length === 0 ? [] : [`changed ${list(heldNames)}, which is held`]),
    ...(pretended.length === 0 ? [] : [`wrote ${list(pretended)}, which is thrown away`]),
  ];
}

/** For the model: what became of a contained command, if anything differs from a run outside. */
export function trailer(outcome: ContainedOutcome): string | undefined {
  const lines = seenLines(outcome);
  if (lines.length === 0) return undefined;
  const { kept, held, number } = outcome;
  const nothing =
    held.length > 0 || outcome.refused.length > 0 ? "nothing was kept" : "the project is unchanged";
  const rest = kept.length === 0 ? nothing : `${kept.length} of its changes were kept`;
  const look =
    number === undefined || held.length === 0 ? "" : ` The user can run \`toolkeep keep ${number}\`.`;
  return `This command ran contained: it ${lines.join("; ")}; ${rest}. To ask the user, run the same command again.${look}`;
}

function list(names: readonly string[]): string {
  const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return `${visible(names.slice(0, MOST_NAMED).join(", "))}${rest}`;
}
