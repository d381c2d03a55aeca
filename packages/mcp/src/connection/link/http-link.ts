import {
  type FetchLike,
  type JSONRPCMessage,
  type OAuthClientProvider,
  type RequestId,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import { boundedFetch, isUnsent } from "./bounded-fetch.ts";
import type { Link } from "./link.ts";
import { UNASKED_REASON, unaskedLimit } from "./unasked-limit.ts";

/** How to log in to a server. */
export interface Authorization {
  readonly provider: OAuthClientProvider;
  /** Awaited when the server requires a login, before the provider is used. */
  prepare(): Promise<void>;
  /** Called when no request is in flight: a callback server without an opened page can close. */
  rest(): void;
  /** What the user's browser brought back; `undefined` if no page has to be opened. */
  callback(signal: AbortSignal): Promise<URLSearchParams> | undefined;
  /** @throws ToolFailure for a forbidden address outside the server's own origin. */
  checkElsewhere(url: URL): void;
}

export interface HttpLinkOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  readonly authorization: Authorization | undefined;
}

const CLOSE_WITHIN_MS = 2_000;

/** JSON-RPC over streamable HTTP. Lost when the server is unreachable, or no longer knows our session. */
export class HttpLink implements Link {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #authorization: Authorization | undefined;
  readonly #unanswered = new Set<RequestId>();
  readonly #abandoned = new AbortController();
  #sending = 0;
  #login: Promise<boolean> | undefined;
  #logins = 0;
  #error: ToolFailure | undefined;
  #isClosed = false;
  #received = 0;

  constructor({ url, headers, fetch, authorization }: HttpLinkOptions) {
    this.#authorization = authorization;
    this.#inner = new StreamableHTTPClientTransport(url, {
      fetch: boundedFetch({
        ...{ url, headers, fetch },
        checkElsewhere: authorization?.checkElsewhere ?? refuseElsewhere,
        watch: {
          received: (bytes) => {
            this.#received += bytes;
          },
          overflowed: (error) => this.drop(error),
          challenged: async () => authorization?.prepare(),
          lost: (reason) => this.#dropSoon(unreachable(reason)),
        },
      }),
      ...(authorization === undefined ? {} : { authProvider: authorization.provider }),
    });
    const isBearable = unaskedLimit();
    this.#inner.onmessage = (message: JSONRPCMessage) => {
      if ("method" in message && !isBearable()) this.drop(flooding());
      if (this.#isClosed) return;
      if (!("method" in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.onmessage?.(message);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.#finish();
  }

  get error(): ToolFailure | undefined {
    return this.#error;
  }

  get received(): number {
    return this.#received;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (this.#isClosed) throw new Error("Not connected");
    const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
    const given = defined({ resumptionToken, onresumptiontoken, requestSignal, headers });
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id !== undefined) this.#unanswered.add(id);
    const onRequestStreamEnd = () => {
      options.onRequestStreamEnd?.();
      if (id !== undefined) this.#failUnanswered(id);
    };
    const session = this.#inner.sessionId;
    this.#sending += 1;
    try {
      await this.#inner.send(message, { ...given, onRequestStreamEnd });
    } catch (error) {
      if (id !== undefined) this.#unanswered.delete(id);
      if (!(error instanceof SdkHttpError && error.status === 404 && session !== undefined)) throw error;
      this.#dropSoon(new ToolFailure("unavailable", "The server no longer knows our session."));
      throw new SessionForgotten("The server no longer knows our session.", { cause: error });
    } finally {
      this.#sending -= 1;
      if (this.#sending === 0) this.#authorization?.rest();
    }
  }

  /** How many logins were made on this link. */
  get logins(): number {
    return this.#logins;
  }

  /**
   * Waits for the user's login and uses its result. `false` if no login is needed. Several requests can be rejected at
   * once, and the user logs in once: a request that started `since` fewer logins ago only has to retry.
   */
  async authorize(since: number): Promise<boolean> {
    if (this.#logins > since) return true;
    this.#login ??= this.#finishLogin().finally(() => {
      this.#login = undefined;
    });
    return this.#login;
  }

  async #finishLogin(): Promise<boolean> {
    const callback = this.#authorization?.callback(this.#abandoned.signal);
    if (callback === undefined) return false;
    await this.#inner.finishAuth(await callback);
    this.#logins += 1;
    return true;
  }

  abandon(): void {
    this.#abandoned.abort();
    this.#authorization?.rest();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const isTold = this.#inner.terminateSession().catch(() => {});
    await Promise.race([isTold, new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref())]);
    await this.#inner.close();
  }

  drop(error: ToolFailure): void {
    if (this.#isClosed) return;
    this.#error = error;
    this.#inner.close().catch(() => {});
  }

  /** Runs after the waiting caller has received the outcome of the request, which is more specific than the drop. */
  #dropSoon(error: ToolFailure): void {
    if (this.#isClosed) return;
    this.#error ??= error;
    setImmediate(() => this.drop(error));
  }

  lastMessage(): string {
    return "";
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  /** A stream can end without the answer it was opened for. The waiting caller is notified here. */
  #failUnanswered(id: RequestId): void {
    if (!this.#unanswered.delete(id)) return;
    const error = { code: STREAM_ENDED, message: "The stream ended before the answer arrived." };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}

/** Outside the range that the protocol reserves. */
export const STREAM_ENDED = -31_999;

/** The server does not know the session of a request, so it did not process it. */
class SessionForgotten extends Error {}

/** Whether a failed call was certainly not executed. A 404 is about the session only if we have one. */
export function isCertainlyUnsent(error: unknown): boolean {
  return isUnsent(error) || error instanceof SessionForgotten;
}

function unreachable(reason: string): ToolFailure {
  return new ToolFailure("unavailable", `The server cannot be reached: ${reason}.`);
}

function flooding(): ToolFailure {
  return new ToolFailure("unavailable", `The connection to the server was dropped. ${UNASKED_REASON}`);
}

function refuseElsewhere(url: URL): never {
  throw new ToolFailure("denied", `The server redirected to ${url.host}, which is not its own address.`);
}
