import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SessionStore } from "@toolkeep/core";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { TokenAuthentication } from "@toolkeep/core/ports";
import type { EventStream } from "./event-stream.ts";
import type { MayAnswer } from "./people.ts";
import { serve } from "./routes.ts";
import { WaitingWatch } from "./waiting-watch.ts";
import { type Webhook, Webhooks } from "./webhooks.ts";

/** Options of `openApprovalsService`. */
export interface ApprovalsServiceOptions {
  /** Whose requests are listed and answered. Any store will do that several processes can have open. */
  readonly store: SessionStore;
  /** Verifies the tokens of people. */
  readonly authentication: TokenAuthentication;
  /**
   * Whether a person may see and answer a request, in addition to being of the same tenant. What a rule asks `by group`
   * needs signatures as well, which the session verifies.
   */
  readonly mayAnswer: MayAnswer;
  /**
   * Whether a person may approve a request that was made on the person's own behalf. Default: no person may. A person
   * can always reject their own request, and answer its questions.
   */
  readonly mayAnswerOwn?: MayAnswer;
  /** Told when something begins to wait. */
  readonly webhooks?: readonly Webhook[];
  /** Default: `127.0.0.1`. Put a proxy with a certificate before it for others. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** How often the store is asked for what waits, while users watch. Default: 1000. */
  readonly pollMs?: number;
}

/** A service that lists and answers the requests of a store. */
export interface ApprovalsService extends AsyncDisposable {
  readonly url: string;
  close(): Promise<void>;
}

const KNOWN = {
  ...{ store: true, authentication: true, mayAnswer: true, mayAnswerOwn: true, webhooks: true },
  ...{ host: true, port: true, pollMs: true },
} satisfies Record<keyof ApprovalsServiceOptions, true>;

/**
 * Serves the requests that wait in a store over HTTP: `GET /requests` lists them, `POST /answers` answers one in the
 * name of the person whose token it is, `GET /events` tells watchers by server-sent events, and webhooks are told when
 * something begins to wait. Any number of these services can share a store.
 *
 * @example
 * await using service = await openApprovalsService({
 *   store,
 *   authentication,
 *   mayAnswer: ({ groups = [] }) => groups.includes("approvers"),
 * });
 *
 * @throws ToolkeepError `invalid_option` for an unknown option, or a webhook that cannot be used.
 */
export async function openApprovalsService(options: ApprovalsServiceOptions): Promise<ApprovalsService> {
  assertKnownKeys(options, Object.keys(KNOWN), "option");
  const { store, authentication, mayAnswer, mayAnswerOwn = () => false } = options;
  const { host = "127.0.0.1", port = 0, pollMs = 1_000 } = options;
  const webhooks = new Webhooks(options.webhooks ?? []);
  const watch = new WaitingWatch(store, pollMs);
  const streams = new Set<EventStream>();
  const parts = { store, authentication, mayAnswer, mayAnswerOwn, watch, streams };
  const server = createServer((req, res) => void serve(req, res, parts));
  const close = async () => {
    watch.close();
    webhooks.close();
    for (const stream of streams) stream.close();
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  try {
    if ((options.webhooks ?? []).length > 0) await watch.listen(webhooks);
    await listening(server, host, port);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urlOf(server, host), close, [Symbol.asyncDispose]: close };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
