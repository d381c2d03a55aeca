import type { ChainVerdict } from "@toolkeep/core/journal";
import type { Store } from "@toolkeep/sqlite";
import { findSessions } from "../log/find-sessions.ts";
import { latestCalls } from "../log/latest-calls.ts";
import { logLines, logRecord } from "../log/log-lines.ts";
import { withStore } from "../project/with-store.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface LogOptions extends CommonOptions {
  /** May be shortened. Left out: all of them. */
  readonly session: string | undefined;
  readonly last?: string;
  readonly verify?: boolean;
}

const LAST = "20";

/** `toolkeep log [SESSION]`: what was decided lately; with `--verify`, whether the record is what was written. */
export async function logCommand(options: LogOptions): Promise<number> {
  const { session, verify = false } = options;
  const last = countOf(options.last ?? LAST);
  const terminal = openTerminal(options);
  return withStore(terminal.cwd, async (store) => {
    if (verify) return verifySessions(store, { session, terminal });
    const calls = await latestCalls(store, { sessions: findSessions(store, session), last });
    terminal.show(calls.map(logRecord), calls.flatMap(logLines));
    if (calls.length === 0) terminal.note("No call was recorded yet.");
    return EXIT.ok;
  });
}

interface Verification {
  readonly session: string | undefined;
  readonly terminal: Terminal;
}

async function verifySessions(store: Store, { session, terminal }: Verification): Promise<number> {
  const checked: { readonly sessionId: string; readonly verdict: ChainVerdict }[] = [];
  for (const { sessionId } of findSessions(store, session))
    checked.push({ sessionId, verdict: await store.verify(sessionId) });
  terminal.show(
    checked.map(({ sessionId, verdict }) => ({ sessionId, ...verdict })),
    checked.map(({ sessionId, verdict }) => `${sessionId}  ${verdictMessage(verdict)}`),
  );
  if (checked.length === 0) terminal.note("No session was recorded yet.");
  return checked.every(({ verdict }) => verdict.intact) ? EXIT.ok : EXIT.failure;
}

function verdictMessage(verdict: ChainVerdict): string {
  if (verdict.intact) return `intact, ${verdict.batches} batches, head ${verdict.head}`;
  return `CHANGED: batch ${verdict.batch}: ${verdict.diagnostic}`;
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new CommandError(`--last ${JSON.stringify(text)} is not a number of calls.`, { exit: EXIT.usage });
}
