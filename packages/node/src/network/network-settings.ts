import { lookup } from "node:dns/promises";
import { invalidOption } from "@toolkeep/core/internal";

/** Bounds of one request, over all its redirects. A request may ask for less, never for more. */
export interface NetworkBounds {
  /** Of the body, counted after decompression as well as before. Default: 10 MB. */
  readonly maxBytes: number;
  /** From the request to the last byte of the response. Default: 30 seconds. */
  readonly timeoutMs: number;
  /** To connect, and then to the end of the headers. Default: 15 seconds. */
  readonly headersTimeoutMs: number;
  /** Between two chunks of the body. Default: 10 seconds. */
  readonly idleTimeoutMs: number;
  /** Default: 5. */
  readonly maxRedirects: number;
  /** Of the response's headers together, and of the request's. Default: 32 KB. */
  readonly maxHeaderBytes: number;
}

/** Port: all addresses of a host name. Rejects, or gives none, for a name that has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** What the tools of a workspace may reach beyond public hosts at ports 80 and 443. */
export interface NetworkSettings {
  /**
   * Hosts and addresses that may be private: `wiki.corp`, `localhost:3000`, `10.0.0.5:*`. A name permits its own
   * addresses alone; another name with the same address is refused.
   */
  readonly privateHosts?: readonly string[];
  /** Ports that any host may be reached at, in addition to 80 and 443. */
  readonly ports?: readonly number[];
  /** Resolves names. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /**
   * Proxies that requests go through: those of the environment, or these. Default: none, whatever the environment sets.
   * A proxy resolves names itself, and so decides about addresses.
   */
  readonly proxy?: "environment" | ProxyAddresses;
  readonly bounds?: Partial<NetworkBounds>;
  /** Certificates (PEM) of authorities that are trusted in addition to the usual ones. */
  readonly certificates?: readonly string[];
}

interface ProxyAddresses {
  readonly http?: string;
  readonly https?: string;
}

/** The default bounds. */
const DEFAULT_NETWORK_BOUNDS: NetworkBounds = Object.freeze({
  maxBytes: 10_000_000,
  timeoutMs: 30_000,
  headersTimeoutMs: 15_000,
  idleTimeoutMs: 10_000,
  maxRedirects: 5,
  maxHeaderBytes: 32_768,
});

/** Timers take no more. */
const LARGEST = 2_147_483_647;

/** @throws ToolkeepError `invalid_option` for a bound that is no whole number, or none at all. */
export function readBounds(given: Partial<NetworkBounds> = {}): NetworkBounds {
  const bounds = { ...DEFAULT_NETWORK_BOUNDS, ...given };
  for (const [name, value] of Object.entries(bounds)) {
    const least = name === "maxRedirects" ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > LARGEST) {
      throw invalidOption(`\`bounds.${name}\` is a whole number from ${least}; it was ${value}.`);
    }
  }
  return bounds;
}

/** Asks the system, which also knows its hosts file. */
export async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
