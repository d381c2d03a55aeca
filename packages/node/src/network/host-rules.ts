import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { ToolFailure } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { addressError, type Interfaces, isNameable, ownNetworkError } from "./address-error.ts";
import { hostOf, portOf, readUrl } from "./read-url.ts";

/** What may be connected to, whatever a tool requires. Hosts are as `hostOf` gives them. */
export interface HostRules {
  /** @throws ToolFailure `out_of_scope` for a port, a literal address or a local name that is refused. */
  checkUrl(url: URL): void;
  /** @throws ToolFailure `out_of_scope` for an address that this host may not have. */
  checkAddress(host: string, address: string): void;
}

/** Why a host is refused that a command was not decided for. */
export const NOT_NAMED = "is not among the hosts that this command may reach";

const USUAL_PORTS = [80, 443];

export interface HostRuleOptions {
  readonly privateHosts?: readonly string[] | undefined;
  readonly ports?: readonly number[] | undefined;
  /** Looked at for every address, for networks come and go. */
  readonly interfaces?: () => Interfaces;
}

/** @throws ToolkeepError `invalid_option` for an invalid host or port. */
export function hostRules(options: HostRuleOptions = {}): HostRules {
  const { privateHosts = [], ports = [], interfaces = networkInterfaces } = options;
  const open = new Set([...USUAL_PORTS, ...ports.map(checkedPort)]);
  const named = new Map<string, Set<number | "any">>();
  for (const entry of privateHosts) {
    const { host, port } = readEntry(entry);
    const own = named.get(host) ?? new Set();
    named.set(host, port === undefined ? own : own.add(port));
  }

  const rules: HostRules = {
    checkUrl(url) {
      const host = hostOf(url);
      const port = portOf(url);
      const own = named.get(host);
      if (!open.has(port) && own?.has(port) !== true && own?.has("any") !== true)
        throw refusal(
          host,
          `port ${port} is not open to requests unless \`privateHosts\` names ${JSON.stringify(`${host}:${port}`)}`,
        );
      const literal = literalIn(host);
      if (literal !== undefined) rules.checkAddress(host, literal);
      else if (own === undefined && LOCAL_NAME.test(host)) throw refusal(host, "it is a local name");
    },
    checkAddress(host, address) {
      const error = addressError(address) ?? ownNetworkError(address, interfaces());
      if (error === undefined) return;
      // A name may come to mean another address at any time, an address may not.
      if (named.has(host) && (literalIn(host) !== undefined || isNameable(address))) return;
      // The address itself would tell the model what the inner network looks like.
      throw refusal(host, `its address ${error}`);
    },
  };
  return rules;
}

/** Names that are never public, by their registration: also a proxy is not asked for them. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

function refusal(host: string, reason: string): HostRefused {
  return new HostRefused(host, `may not be connected to: ${reason}`);
}

/** What these rules throw, so that a caller who knows the call can record it. */
export class HostRefused extends ToolFailure {
  readonly reason: string;

  constructor(host: string, reason: string) {
    super("out_of_scope", `${host} ${reason}.`, {
      hint: "Only the host application can open it, with `privateHosts`.",
    });
    this.reason = reason;
  }
}

/** The address in a host that is one. */
function literalIn(host: string): string | undefined {
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}

const ENTRY = /^(?<host>\[[\da-f:.]+\]|[^:@]+)(?::(?<port>\d{1,5}|\*))?$/i;

function readEntry(entry: string): { readonly host: string; readonly port?: number | "any" } {
  const { host = "", port } = ENTRY.exec(entry)?.groups ?? {};
  const name = readHost(host, entry);
  if (port === undefined) return { host: name };
  return { host: name, port: port === "*" ? "any" : checkedPort(Number(port)) };
}

function readHost(host: string, entry: string): string {
  try {
    const url = readUrl(`http://${host}`);
    if (url.pathname + url.search === "/") return hostOf(url);
  } catch (error) {
    if (!ToolFailure.isInstance(error)) throw error;
  }
  throw invalidOption(
    `\`privateHosts\` takes hosts, such as "wiki.corp", "localhost:3000" or "[::1]:*"; ${JSON.stringify(entry)} is invalid.`,
  );
}

function checkedPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw invalidOption(`A port is 1 to 65535; it was ${port}.`);
}
