import type { ChainVerdict } from "@toolkeep/core/journal";
import type { Store } from "@toolkeep/sqlite";
import { STORE_RECORD } from "@toolkeep/sqlite/internal";
import { comparedLine, verifyCheckpoints } from "../audit/verify-outside.ts";
import { EXIT } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findSession } from "./find-session.ts";

export interface VerifyOptions {
  /** Default: all sessions. */
  readonly ids: readonly string[];
  /** A file with checkpoints that all sessions are compared with. */
  readonly checkpoint?: string | undefined;
  /** The public key that the checkpoints must be signed with. */
  readonly key?: string | undefined;
}

/** Recomputes the hash chain of sessions. Fails if one of them was changed. */
export async function verifySessions(
  store: Store,
  { ids, checkpoint, key }: VerifyOptions,
  terminal: Terminal,
): Promise<number> {
  const compared =
    checkpoint === undefined ? [] : await verifyCheckpoints(store, { file: checkpoint, key }, terminal);
  const chosen =
    ids.length === 0
      ? [STORE_RECORD, ...store.sessions().map(({ sessionId }) => sessionId)]
      : ids.map((id) => findSession(store, id));
  const checked: { readonly sessionId: string; readonly verdict: ChainVerdict }[] = [];
  for (const sessionId of new Set(chosen)) {
    const verdict = await store.verify(sessionId);
    // A store that has removed and approved nothing has no record of its own.
    if (!verdict.intact || verdict.batches > 0) checked.push({ sessionId, verdict });
  }
  const records = checked.map(({ sessionId, verdict }) => ({ sessionId, ...verdict }));
  terminal.show(checkpoint === undefined ? records : { sessions: records, checkpoint: compared }, [
    ...checked.map(({ sessionId, verdict }) => `${sessionId}  ${verdictMessage(verdict)}`),
    ...compared.filter(({ state }) => state === "changed" || state === "removed").map(comparedLine),
  ]);
  const changed = checked.filter(({ verdict }) => !verdict.intact).length;
  const replaced = compared.filter(({ state }) => state === "changed").length;
  if (checked.length === 0) terminal.note("No sessions are recorded yet.");
  else if (changed > 0) terminal.note(`${changed} of ${checked.length} sessions were changed.`);
  if (replaced > 0) terminal.note(`${replaced} sessions are not what the checkpoint says.`);
  return changed + replaced === 0 ? EXIT.ok : EXIT.failure;
}

/** Says that the record of a session cannot be used. */
export function brokenNote(sessionId: string): string {
  return `The record of ${sessionId} was changed, and is left out. Run \`toolkeep sessions verify ${sessionId}\`.`;
}

function verdictMessage(verdict: ChainVerdict): string {
  if (verdict.intact) {
    const erased = verdict.erased === undefined ? "" : ` ${verdict.erased} events erased,`;
    return `intact, ${verdict.batches} batches,${erased} head ${verdict.head}`;
  }
  return `CHANGED at event ${verdict.event}: ${verdict.diagnostic.replace(/^at event \d+: /, "")}`;
}
