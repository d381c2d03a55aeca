import { ToolkeepError } from "@toolkeep/core";
import type { StoredSession } from "@toolkeep/core/journal";
import { isOfReports } from "../../project/store/reported-sessions.ts";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import { sinceOf } from "../../terminal/since.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { brokenNote } from "../evidence/verify-sessions.ts";
import { shortIds } from "../records/find-session.ts";
import { type SessionSummary, summaryOf, summaryRecord } from "../records/session-summary.ts";
import { summaryLines } from "./summary-lines.ts";

export interface ListOptions {
  readonly since?: string | undefined;
  readonly last?: string | undefined;
  readonly store?: string | undefined;
}

/** Lists the latest sessions, oldest first, as the log does. */
export async function listSessions(options: ListOptions, terminal: Terminal): Promise<number> {
  const since = options.since === undefined ? 0 : sinceOf(options.since);
  const last = lastOf(options);
  return withStore(
    terminal.cwd,
    async (store) => {
      const all = store
        .sessions()
        .filter(({ sessionId, activeAt }) => !isOfReports(sessionId) && activeAt >= since);
      const broken: string[] = [];
      const listed: SessionSummary[] = [];
      for (const entry of all.slice(0, last).toReversed()) {
        const summary = await unlessBroken(summaryOf(store, entry));
        if (summary === undefined) broken.push(entry.sessionId);
        else listed.push(summary);
      }
      const short = shortIds(store);
      const lines = listed.flatMap((one) => summaryLines(one, short));
      terminal.show(listed.map(summaryRecord), lines);
      noteRest(all, last, terminal);
      for (const sessionId of broken) terminal.note(brokenNote(sessionId));
      return broken.length === 0 ? EXIT.ok : EXIT.failure;
    },
    options.store,
  );
}

function noteRest(all: readonly StoredSession[], last: number, terminal: Terminal): void {
  if (all.length === 0) terminal.note("No sessions are recorded.");
  else if (all.length > last)
    terminal.note(`The last ${last} of ${all.length} sessions. Use --last ${all.length} to see all.`);
}

/** Undefined for a session whose record was changed. */
async function unlessBroken(read: Promise<{ readonly summary: SessionSummary }>) {
  try {
    return (await read).summary;
  } catch (error) {
    if (ToolkeepError.isInstance(error) && error.code === "journal_broken") return undefined;
    throw error;
  }
}

const LAST = 20;

function lastOf({ last, since }: ListOptions): number {
  if (last === undefined) return since === undefined ? LAST : Number.POSITIVE_INFINITY;
  const count = Number(last);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw usageError(
    `--last ${JSON.stringify(last)} is not a number of sessions.`,
    "Use a whole number greater than 0.",
  );
}
