import { once } from "node:events";
import { reportsOf } from "../../project/store/reported-sessions.ts";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import { printableJson, type Terminal } from "../../terminal/terminal.ts";
import { findSession } from "../records/find-session.ts";

export interface ExportOptions {
  /** One. */
  readonly ids: readonly string[];
  readonly store?: string | undefined;
}

/** Writes a session's events to standard output as they were recorded, without secrets, and verifies the chain. */
export async function exportSession(
  { ids, store: folder }: ExportOptions,
  terminal: Terminal,
): Promise<number> {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0)
    throw usageError(
      "The events of one session are exported at a time.",
      "Name one session, or write several into a bundle: --bundle FILE",
    );
  const { stdout } = process;
  return withStore(
    terminal.cwd,
    async (store) => {
      const sessionId = findSession(store, id);
      for await (const line of store.export(sessionId)) {
        // A file gets the bytes of the record.
        const text = stdout.isTTY === true ? printableJson(line) : line;
        if (!stdout.write(`${text}\n`)) await once(stdout, "drain");
      }
      const reports = reportsOf(sessionId);
      if (store.sessions().some((one) => one.sessionId === reports))
        terminal.note(
          `What the client reported is a session of its own: run \`toolkeep sessions export ${reports}\`.`,
        );
      return EXIT.ok;
    },
    folder,
  );
}
