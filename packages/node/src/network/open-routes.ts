import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { type Dial, guardedConnector, tlsOptions } from "./guarded-connector.ts";
import type { HostRules } from "./host-rules.ts";
import type { NetworkBounds, Resolve } from "./network-settings.ts";
import type { Proxies } from "./proxies.ts";

/** The connections of one grant. */
export interface Routes {
  /** How a request gets to where it goes. */
  to(url: URL): Route;
  /** Breaks off whatever is under way. */
  close(): void;
}

interface Route {
  readonly dispatcher: Dispatcher;
  /** Names are resolved by another machine. */
  readonly isProxied: boolean;
}

export interface RouteOptions {
  readonly rules: HostRules;
  readonly resolve: Resolve;
  readonly dial: Dial;
  readonly bounds: NetworkBounds;
  readonly proxies: Proxies;
  readonly certificates: readonly string[] | undefined;
}

/** So many requests to one origin go out at once; the others wait. */
const MOST_CONNECTIONS = 8;
const IDLE_MS = 2_000;

/**
 * Connections of our own, so that no dispatcher or proxy that is set for the process is used. Must be opened for each
 * grant: a connection is never used for a host it was not checked for.
 */
export function openRoutes(options: RouteOptions): Routes {
  const { rules, resolve, dial, bounds, proxies } = options;
  const settings = {
    connect: guardedConnector({ rules, resolve, dial }),
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    useMilo: false,
    maxHeaderSize: bounds.maxHeaderBytes,
    headersTimeout: bounds.headersTimeoutMs,
    bodyTimeout: bounds.idleTimeoutMs,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  };
  const tls = tlsOptions(options.certificates);
  const through = (proxy: string): Route | undefined =>
    proxy === ""
      ? undefined
      : {
          dispatcher: new EnvHttpProxyAgent({
            ...settings,
            httpProxy: proxy,
            httpsProxy: proxy,
            noProxy: proxies.except,
            requestTls: tls,
            proxyTls: { ...tls, timeout: bounds.headersTimeoutMs },
          }),
          isProxied: true,
        };
  const direct: Route = { dispatcher: new Agent(settings), isProxied: false };
  const http = through(proxies.http) ?? direct;
  const https = through(proxies.https) ?? direct;
  return {
    to: (url) => (url.protocol === "https:" ? https : http),
    close() {
      for (const { dispatcher } of new Set([direct, http, https])) dispatcher.destroy().catch(() => {});
    },
  };
}
