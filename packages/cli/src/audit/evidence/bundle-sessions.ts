import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { readConfig } from "@toolkeep/node/internal";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { findSession } from "../records/find-session.ts";
import { type ApproverKeys, bundleLines } from "./bundle.ts";
import { signWith } from "./ssh-signing.ts";

export interface BundleOptions {
  /** Default: all sessions. */
  readonly ids: readonly string[];
  readonly file: string;
  readonly sign?: string | undefined;
  readonly store?: string | undefined;
}

/** Writes sessions into one file that can be verified without the store. */
export async function bundleSessions(options: BundleOptions, terminal: Terminal): Promise<number> {
  const { ids, sign, store: folder } = options;
  const file = resolve(terminal.cwd, options.file);
  const keys = await approverKeys(terminal.cwd);
  return withStore(
    terminal.cwd,
    async (store) => {
      const sessions =
        ids.length === 0
          ? store.heads().map(({ sessionId }) => sessionId)
          : [...new Set(ids.map((id) => findSession(store, id)))];
      const signer =
        sign === undefined ? {} : { sign: (text: string) => signWith(resolve(terminal.cwd, sign), text) };
      const written = await open(file, "wx", 0o600);
      try {
        for await (const line of bundleLines(store, { sessions, keys, ...signer })) await written.write(line);
        await written.sync();
      } finally {
        await written.close();
      }
      terminal.show({ file, sessions, isSigned: sign !== undefined }, [
        `${file}: ${sessions.length} sessions, ${sign === undefined ? "not signed" : "signed"}`,
      ]);
      return EXIT.ok;
    },
    folder,
  );
}

/** The public keys of the people who can approve, as the administrator names them. */
async function approverKeys(cwd: string): Promise<ApproverKeys> {
  const { config } = await readConfig({ cwd });
  const { approvers = {} } = (config ?? {}) as { readonly approvers?: Record<string, { keys: string[] }> };
  return Object.fromEntries(Object.entries(approvers).map(([name, { keys }]) => [name, keys]));
}
