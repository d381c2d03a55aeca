import type { Approver, Registry, Session } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import type { GatewayOptions } from "../../packages/mcp/src/gateway/gateway.ts";

/** What makes a gateway outlive its process: one session in a store, and answers that are left there. */
export interface KeptGateway extends Pick<GatewayOptions, "open" | "takeAnswers"> {
  readonly store: SqliteStore;
  /** Ends the lease on the session, so that another process may resume it. */
  release(): void;
}

export const SESSION = "gateway.test";

export function keptGateway(folder: string): KeptGateway {
  const store = openSqliteStore({ path: folder });
  return {
    store,
    open: (parts: { readonly registry: Registry; readonly approver: Approver }): Promise<Session> =>
      createSession({
        id: SESSION,
        journal: store.journal(SESSION),
        pending: store.pending,
        policy: { rules: [], builtIn: "off" },
        ...parts,
      }),
    takeAnswers: (give) => store.takeAnswers(SESSION, give),
    release: () => store.close(),
  };
}
