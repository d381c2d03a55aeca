import { ToolkeepError } from "@toolkeep/core";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { type Dial, guardedConnector, tlsOptions } from "./guarded-connector.ts";
import type { HostRules } from "./host-rules.ts";
import type { NetworkBounds, NetworkSettings, Resolve } from "./network-settings.ts";

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

/** The addresses of proxies; an empty text is none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached without them, in the manner of `NO_PROXY`. */
  readonly except: string;
}

/** @throws ToolkeepError `invalid_option` for an invalid proxy. */
export function readProxies(proxy: NetworkSettings["proxy"]): Proxies {
  const named = proxy === "environment" ? fromEnvironment(process.env) : proxy;
  const proxies = { http: "", https: "", except: "", ...named };
  for (const address of [proxies.http, proxies.https]) {
    const protocol = URL.canParse(address) ? new URL(address).protocol : "";
    // The address is not shown, because it may contain a password.
    if (address !== "" && protocol !== "http:" && protocol !== "https:")
      throw new ToolkeepError("invalid_option", "A proxy is the address of an http or https server.");
  }
  return proxies;
}

function fromEnvironment(env: NodeJS.ProcessEnv): Proxies {
  return {
    http: env["http_proxy"] ?? env["HTTP_PROXY"] ?? "",
    https: env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "",
    except: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
  };
}
