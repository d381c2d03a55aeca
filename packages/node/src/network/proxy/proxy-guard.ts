import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { compileGlob } from "@toolkeep/core/internal";
import { dialAddresses, guardedConnector } from "../guarded-connector.ts";
import { HostRefused, hostRules, NOT_NAMED } from "../host-rules.ts";
import { networkFailure } from "../network-failure.ts";
import { type NetworkSettings, readBounds, systemResolve } from "../network-settings.ts";
import { readProxies } from "../proxies.ts";
import { hostOf, portOf } from "../read-url.ts";
import { isAddress } from "./proxied-target.ts";
import { connectThrough, proxyTo } from "./through-proxy.ts";

/** What one command may reach. */
export interface GuardOptions {
  /** Hosts and patterns of hosts. An address must be named itself. */
  readonly hosts: readonly string[];
  readonly settings?: NetworkSettings | undefined;
  /** Called for every try to reach something that is not allowed. */
  onRefused?(host: string, reason: string): void;
  /** Whether the command may still send. Asked before anything is passed on. Default: it may while it runs. */
  isStillAllowed?: (() => Promise<boolean>) | undefined;
}

/** The hosts and addresses of one command. */
export interface ProxyGuard {
  /** @throws NotAllowed for what this command may not reach. */
  check(url: URL): void;
  /** Passes bytes on for as long as the command may send. Ends with NotAllowed. */
  gate(url: URL): Transform;
  /** Connects to an address that was checked. @throws NotAllowed, or ToolFailure for what went wrong. */
  connect(url: URL): Promise<Socket>;
}

/** Why a host is refused that the call was decided for. */
const NO_LONGER =
  "can no longer be reached: since the command was started, something private was read in this session";

/** The reason is for the program that asked, and for the result of the command. */
export class NotAllowed extends Error {}

/** Without a byte in either direction a connection is ended. */
export const IDLE_MS = 120_000;

/** @throws ToolkeepError `invalid_option` for settings that cannot be used. */
export function proxyGuard({ hosts, settings = {}, onRefused, isStillAllowed }: GuardOptions): ProxyGuard {
  const { headersTimeoutMs } = readBounds(settings.bounds);
  const rules = hostRules({ privateHosts: settings.privateHosts, ports: settings.ports });
  const patterns = hosts.map(compileGlob);
  const { resolve = systemResolve } = settings;
  const proxies = readProxies(settings.proxy);
  const dial = guardedConnector({ rules, resolve, dial: dialAddresses(headersTimeoutMs) });

  function refused(host: string, error: unknown): unknown {
    if (!(error instanceof HostRefused)) return networkFailure(error, host);
    onRefused?.(host, error.reason);
    return new NotAllowed(error.message);
  }

  async function checkStill(url: URL): Promise<void> {
    if ((await isStillAllowed?.()) === false)
      throw refused(hostOf(url), new HostRefused(hostOf(url), NO_LONGER));
  }

  function direct(url: URL): Promise<Socket> {
    const hostname = hostOf(url).replaceAll(/[[\]]/g, "");
    const target = { hostname, host: hostname, port: String(portOf(url)), protocol: "http:" };
    return new Promise((resolved, rejected) => {
      dial(target, (error, socket) => (error === null ? resolved(socket) : rejected(error)));
    });
  }

  /** A name that has no address here is for that proxy to check; one that has is checked as if we connected to it. */
  async function through(proxy: URL, url: URL): Promise<Socket> {
    const known = await resolve(hostOf(url)).catch(() => []);
    for (const address of known) rules.checkAddress(hostOf(url), address);
    return connectThrough(proxy, url, headersTimeoutMs);
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
    gate: (url) =>
      new Transform({
        transform(chunk, _encoding, done) {
          checkStill(url).then(() => done(null, chunk), done);
        },
      }),
    async connect(url) {
      await checkStill(url);
      try {
        const proxy = proxyTo(url, proxies);
        const socket = await (proxy === undefined ? direct(url) : through(proxy, url));
        return socket.setTimeout(IDLE_MS, () => socket.destroy());
      } catch (error) {
        throw refused(hostOf(url), error);
      }
    },
  };
}
