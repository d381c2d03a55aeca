import { isIP, type LookupFunction, type Socket } from "node:net";
import { getCACertificates } from "node:tls";
import { ToolFailure } from "@toolkeep/core";
import { buildConnector } from "undici";
import type { HostRules } from "./host-rules.ts";
import type { Resolve } from "./network-settings.ts";

/** Connects to one of the addresses and to nothing else. */
export type Dial = (
  addresses: readonly string[],
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => void;

export interface ConnectorOptions {
  readonly rules: HostRules;
  readonly resolve: Resolve;
  readonly dial: Dial;
}

/**
 * The one way to a connection: the address in the URL, every address that a name has, and the address that
 * was really connected to are checked. A name with a single bad address is refused.
 */
export function guardedConnector({ rules, resolve, dial }: ConnectorOptions): buildConnector.connector {
  async function connect(options: buildConnector.Options): Promise<Socket> {
    const host = isIP(options.hostname) === 6 ? `[${options.hostname}]` : options.hostname;
    const addresses = await checkedAddresses(host, options.hostname);
    const socket = await dialled(addresses, options);
    try {
      rules.checkAddress(host, socket.remoteAddress ?? "");
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return socket;
  }

  async function checkedAddresses(host: string, hostname: string): Promise<readonly string[]> {
    const answers = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
    // Copied: what is checked must be what is dialled.
    const addresses = answers.map(String);
    for (const address of addresses) rules.checkAddress(host, address);
    if (addresses.length === 0) throw new ToolFailure("unavailable", `No address was found for ${host}.`);
    return addresses;
  }

  function dialled(addresses: readonly string[], options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolved, rejected) => {
      dial(addresses, options, (error, socket) => (error === null ? resolved(socket) : rejected(error)));
    });
  }

  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

/** Connects: HTTP/1.1 alone, and never without a valid certificate, whatever the environment sets. */
export function dialAddresses(timeoutMs: number, certificates?: readonly string[]): Dial {
  const tls = tlsOptions(certificates);
  return (addresses, options, callback) => {
    const connect = buildConnector({ ...tls, timeout: timeoutMs, lookup: answering(addresses) });
    connect(options, callback);
  };
}

/** The options of every TLS connection. */
export function tlsOptions(certificates?: readonly string[]): buildConnector.BuildOptions {
  return {
    allowH2: false,
    maxCachedSessions: 0,
    rejectUnauthorized: true,
    ...(certificates === undefined ? {} : { ca: [...getCACertificates("default"), ...certificates] }),
  };
}

/** A resolver that knows the addresses already, so that nothing is asked for twice. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first = { address: "", family: 0 }] = all;
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, first.address, first.family);
  };
}
