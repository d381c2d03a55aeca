import { withStore } from "../../project/store/with-store.ts";
import { EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { findSession, sessionsOf } from "../records/find-session.ts";
import { summaryOf, summaryRecord } from "../records/session-summary.ts";
import { callLinesWithReason, callRecord } from "./call-lines.ts";
import { summaryLines } from "./summary-lines.ts";

export interface ShowOptions {
  readonly id: string;
  readonly store?: string | undefined;
}

/** Shows one session: its calls, what decided about them and why. */
export async function showSession({ id, store: folder }: ShowOptions, terminal: Terminal): Promise<number> {
  return withStore(
    terminal.cwd,
    async (store) => {
      for (const entry of sessionsOf(store, findSession(store, id))) {
        const { summary, calls } = await summaryOf(store, entry);
        terminal.show({ ...summaryRecord(summary), calls: calls.map(callRecord) }, [
          // Whole: from here it is copied into other records.
          ...summaryLines(summary, (whole) => whole),
          ...calls.flatMap((call) => ["", ...callLinesWithReason(call)]),
        ]);
      }
      return EXIT.ok;
    },
    folder,
  );
}
