import { lookup } from "node:dns/promises";
import { ToolkeepError } from "@toolkeep/core";

/** Bounds of one request, over all its redirects. A request may ask for less, never for more. */
export interface NetworkBounds {
  /** Of the body, counted after decompression as well as before. 10 MB where it is left out. */
  readonly maxBytes: number;
  /** From the request to the last byte of the answer. 30 seconds where it is left out. */
  readonly timeoutMs: number;
  /** To connect, and then to the end of the headers. 15 seconds where it is left out. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body. 10 seconds where it is left out. */
  readonly idleTimeoutMs: number;
  /** 5 where it is left out. */
  readonly maxRedirects: number;
  /** Of the answer's headers together, and of the request's. 32 KB where it is left out. */
  readonly maxHeaderBytes: number;
}

/** Port: all addresses of a host name. Rejects, or gives none, for a name that has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface NetworkSettings {
  /**
   * Hosts and addresses that may be private ones: `wiki.corp`, `localhost:3000`, `10.0.0.5:*`. A name
   * stands for its own addresses alone; another name with the same address is refused.
   */
  readonly privateHosts?: readonly string[];
  /** Ports that any host may be reached at, beside 80 and 443. */
  readonly ports?: readonly number[];
  /** The system's own resolver where it is left out. */
  readonly resolve?: Resolve;
  /**
   * Proxies that requests go through: those of the environment, or these. None where it is left out,
   * whatever the environment says. A proxy resolves names itself, and so has the last word on addresses.
   */
  readonly proxy?: "environment" | ProxyAddresses;
  readonly bounds?: Partial<NetworkBounds>;
  /** Certificates (PEM) of authorities that are trusted beside the usual ones. */
  readonly certificates?: readonly string[];
}

export interface ProxyAddresses {
  readonly http?: string;
  readonly https?: string;
}

/** What holds where the embedder says nothing. */
export const DEFAULT_NETWORK_BOUNDS: NetworkBounds = Object.freeze({
  maxBytes: 10_000_000,
  timeoutMs: 30_000,
  headersTimeoutMs: 15_000,
  idleTimeoutMs: 10_000,
  maxRedirects: 5,
  maxHeaderBytes: 32_768,
});

/** Timers hold no more. */
const LARGEST = 2_147_483_647;

/** @throws ToolkeepError `invalid_option` for a bound that is no whole number, or none at all. */
export function readBounds(given: Partial<NetworkBounds> = {}): NetworkBounds {
  const bounds = { ...DEFAULT_NETWORK_BOUNDS, ...given };
  for (const [name, value] of Object.entries(bounds)) {
    const least = name === "maxRedirects" ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > LARGEST) {
      throw new ToolkeepError(
        "invalid_option",
        `\`bounds.${name}\` is a whole number from ${least}; it was ${value}.`,
      );
    }
  }
  return bounds;
}

/** Asks the system, which also knows its hosts file. */
export async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
