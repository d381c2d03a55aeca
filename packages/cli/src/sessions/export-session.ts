import { once } from "node:events";
import { reportsOf } from "../hooks/record-outcome.ts";
import { withStore } from "../project/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { printableJson, type Terminal } from "../terminal/terminal.ts";
import { findSession } from "./find-session.ts";

export interface ExportOptions {
  readonly id: string;
  readonly store?: string | undefined;
}

/**
 * Writes the events of a session to standard output, each as the line of JSON that was written: secrets were replaced
 * before that. The chain is verified on the way.
 */
export async function exportSession(
  { id, store: folder }: ExportOptions,
  terminal: Terminal,
): Promise<number> {
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
