import { type ApprovedRuns, approvedRuns } from "@toolkeep/core/internal";
import type { ChainVerdict } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { STORE_RECORD } from "@toolkeep/sqlite/internal";
import { EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { findSession } from "../records/find-session.ts";
import { comparedLine, verifyCheckpoints } from "./verify-outside.ts";

export interface VerifyOptions {
  /** Default: all sessions. */
  readonly ids: readonly string[];
  /** A file with checkpoints that all sessions are compared with. */
  readonly checkpoint?: string | undefined;
  /** The public key that the checkpoints must be signed with. */
  readonly key?: string | undefined;
}

interface CheckedSession {
  readonly sessionId: string;
  readonly verdict: ChainVerdict;
  /** Missing where no call was approved, or the chain is broken. */
  readonly approvals?: ApprovedRuns;
}

/** Recomputes hash chains, and compares approved calls with what was shown. Fails if something was changed. */
export async function verifySessions(
  store: SqliteStore,
  { ids, checkpoint, key }: VerifyOptions,
  terminal: Terminal,
): Promise<number> {
  const compared =
    checkpoint === undefined ? [] : await verifyCheckpoints(store, { file: checkpoint, key }, terminal);
  const chosen =
    ids.length === 0
      ? [STORE_RECORD, ...store.sessions().map(({ sessionId }) => sessionId)]
      : ids.map((id) => findSession(store, id));
  const checked: CheckedSession[] = [];
  for (const sessionId of new Set(chosen)) {
    const verdict = await store.verify(sessionId);
    // A store that has removed and approved nothing has no record of its own.
    if (!verdict.intact || verdict.batches > 0)
      checked.push({ sessionId, verdict, ...(verdict.intact ? await approvalsOf(store, sessionId) : {}) });
  }
  const records = checked.map(({ verdict, ...session }) => ({ ...session, ...verdict }));
  terminal.show(checkpoint === undefined ? records : { sessions: records, checkpoint: compared }, [
    ...checked.flatMap(sessionLines),
    ...compared.filter(({ state }) => state === "changed" || state === "removed").map(comparedLine),
  ]);
  const changed = checked.filter(
    ({ verdict, approvals }) => !verdict.intact || (approvals?.errors.length ?? 0) > 0,
  ).length;
  const replaced = compared.filter(({ state }) => state === "changed").length;
  if (checked.length === 0) terminal.note("No sessions are recorded yet.");
  else if (changed > 0) terminal.note(`${changed} of ${checked.length} sessions were changed.`);
  if (replaced > 0) terminal.note(`${replaced} sessions are not what the checkpoint says.`);
  return changed + replaced === 0 ? EXIT.ok : EXIT.failure;
}

async function approvalsOf(
  store: SqliteStore,
  sessionId: string,
): Promise<Pick<CheckedSession, "approvals">> {
  const approvals = await approvedRuns(sessionId, store.events(sessionId), store.pending);
  const { ran, edited, compared, deleted, errors } = approvals;
  return ran + edited + compared + deleted + errors.length === 0 ? {} : { approvals };
}

function sessionLines({ sessionId, verdict, approvals }: CheckedSession): readonly string[] {
  const line = `${sessionId}  ${verdictMessage(verdict)}`;
  if (approvals === undefined) return [line];
  const { ran, edited, compared, deleted, errors } = approvals;
  const changed = edited === 0 ? "" : `, ${edited} as the approver edited them`;
  const raw = compared === 0 ? "" : `, ${compared} requests match the raw call`;
  const gone = deleted === 0 ? "" : `, ${deleted} salts deleted with their arguments`;
  const all = `  approvals: ${ran} calls ran as shown${changed}${errors.length === 0 ? raw : ""}${gone}`;
  return [line, ...errors.map((error) => `  CHANGED: ${error}`), all];
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
