import type { Socket } from "node:net";
import { compileGlob } from "@toolkeep/core/internal";
import { dialAddresses, guardedConnector } from "../guarded-connector.ts";
import { HostRefused, hostRules } from "../host-rules.ts";
import { networkFailure } from "../network-failure.ts";
import { type NetworkSettings, readBounds, systemResolve } from "../network-settings.ts";
import { hostOf, portOf } from "../read-url.ts";
import { isAddress } from "./proxied-target.ts";

/** What one command may reach. */
export interface GuardOptions {
  /** Hosts and patterns of hosts. An address must be named itself. */
  readonly hosts: readonly string[];
  readonly settings?: NetworkSettings | undefined;
  /** Called for every try to reach something that is not allowed. */
  onRefused?(host: string, reason: string): void;
}

/** The hosts and addresses of one command. */
export interface ProxyGuard {
  /** @throws NotAllowed for what this command may not reach. */
  check(url: URL): void;
  /** Connects to an address that was checked. @throws NotAllowed, or ToolFailure for what went wrong. */
  connect(url: URL): Promise<Socket>;
}

/** Why a host is refused that the call was not decided for. */
export const NOT_NAMED = "is not among the hosts that this command may reach";

/** The reason is for the program that asked, and for the result of the command. */
export class NotAllowed extends Error {}

/** Without a byte in either direction a connection is ended. */
export const IDLE_MS = 120_000;

/** @throws ToolkeepError `invalid_option` for settings that cannot be used. */
export function proxyGuard({ hosts, settings = {}, onRefused }: GuardOptions): ProxyGuard {
  const { headersTimeoutMs } = readBounds(settings.bounds);
  const rules = hostRules({ privateHosts: settings.privateHosts, ports: settings.ports });
  const patterns = hosts.map(compileGlob);
  const { resolve = systemResolve } = settings;
  const dial = guardedConnector({ rules, resolve, dial: dialAddresses(headersTimeoutMs) });

  function refused(host: string, error: unknown): unknown {
    if (!(error instanceof HostRefused)) return networkFailure(error, host);
    onRefused?.(host, error.reason);
    return new NotAllowed(error.message);
  }

  return {
    check(url) {
      const host = hostOf(url);
      const isNamed = isAddress(url)
        ? hosts.includes(host)
        : patterns.some((one) => one.matches(host, "text"));
      if (!isNamed) throw refused(host, new HostRefused(host, NOT_NAMED));
      try {
        rules.checkUrl(url);
      } catch (error) {
        throw refused(host, error);
      }
    },
    connect(url) {
      const hostname = hostOf(url).replaceAll(/[[\]]/g, "");
      const target = { hostname, host: hostname, port: String(portOf(url)), protocol: "http:" };
      return new Promise((resolved, rejected) => {
        dial(target, (error, socket) => {
          if (error === null) resolved(socket.setTimeout(IDLE_MS, () => socket.destroy()));
          else rejected(refused(hostOf(url), error));
        });
      });
    },
  };
}
