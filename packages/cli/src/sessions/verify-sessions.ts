import type { ChainVerdict } from "@toolkeep/core/journal";
import type { Store } from "@toolkeep/sqlite";
import { EXIT } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findSession } from "./find-session.ts";

export interface VerifyOptions {
  /** Default: all sessions. */
  readonly ids: readonly string[];
}

/** Recomputes the hash chain of sessions. Fails if one of them was changed. */
export async function verifySessions(
  store: Store,
  { ids }: VerifyOptions,
  terminal: Terminal,
): Promise<number> {
  const chosen =
    ids.length === 0
      ? store.sessions().map(({ sessionId }) => sessionId)
      : ids.map((id) => findSession(store, id));
  const checked: { readonly sessionId: string; readonly verdict: ChainVerdict }[] = [];
  for (const sessionId of new Set(chosen))
    checked.push({ sessionId, verdict: await store.verify(sessionId) });
  terminal.show(
    checked.map(({ sessionId, verdict }) => ({ sessionId, ...verdict })),
    checked.map(({ sessionId, verdict }) => `${sessionId}  ${verdictMessage(verdict)}`),
  );
  const changed = checked.filter(({ verdict }) => !verdict.intact).length;
  if (checked.length === 0) terminal.note("No sessions are recorded yet.");
  else if (changed > 0) terminal.note(`${changed} of ${checked.length} sessions were changed.`);
  return changed === 0 ? EXIT.ok : EXIT.failure;
}

/** Says that the record of a session cannot be used. */
export function brokenNote(sessionId: string): string {
  return `The record of ${sessionId} was changed, and is left out. Run \`toolkeep sessions verify ${sessionId}\`.`;
}

function verdictMessage(verdict: ChainVerdict): string {
  if (verdict.intact) return `intact, ${verdict.batches} batches, head ${verdict.head}`;
  return `CHANGED at event ${verdict.event}: ${verdict.diagnostic.replace(/^at event \d+: /, "")}`;
}
