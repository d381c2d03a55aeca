import type { Checkpoint, CheckpointHead } from "../evidence/checkpoint.ts";
import type { ComparedSession } from "../evidence/verify-outside.ts";
import type { RecordHead, Records } from "./read-as-user.ts";

/** What is not as the last collection had it, by line. */
export interface Differences {
  readonly changed: readonly string[];
  /** Removed through the program, as the store's own record says: by the user, or because they were old. */
  readonly removed: readonly string[];
}

/** What the reader found, and what root finds in the heads that it signs: these may have been read at another time. */
export function differencesSince(
  before: Checkpoint | undefined,
  { heads, compared }: Pick<Records, "heads" | "compared">,
): Differences {
  const now = new Map(heads.map((head) => [head.sessionId, head]));
  const changed = diagnosticsOf(compared, "changed");
  const removed = diagnosticsOf(compared, "removed");
  for (const head of before?.sessions ?? []) {
    const found = now.get(head.id);
    const why = changeOf(head, found);
    const isSaid = changed.has(head.id) || (found === undefined && removed.has(head.id));
    if (why !== undefined && !isSaid) changed.set(head.id, why);
  }
  return { changed: linesOf(changed), removed: linesOf(removed) };
}

function changeOf({ seq, hash }: CheckpointHead, found: RecordHead | undefined): string | undefined {
  if (found === undefined) return "it is missing";
  if (found.nextSeq < seq) return "it has fewer events";
  return found.nextSeq === seq && found.head !== hash ? "its events differ" : undefined;
}

function diagnosticsOf(compared: readonly ComparedSession[], of: ComparedSession["state"]) {
  return new Map(
    compared
      .filter(({ state }) => state === of)
      .map(({ sessionId, diagnostic = "" }) => [sessionId, diagnostic]),
  );
}

function linesOf(diagnostics: ReadonlyMap<string, string>): readonly string[] {
  return [...diagnostics].map(([id, diagnostic]) => `${id}: ${diagnostic}`);
}
