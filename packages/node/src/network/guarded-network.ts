import { ToolFailure } from "@toolkeep/core";
import { netFetch } from "@toolkeep/core/internal";
import type { Grant, Network, NetworkRequest } from "@toolkeep/core/ports";
import { type Deadline, startDeadline, untilAborted } from "./deadline.ts";
import { type Answer, exchange, redirectOf, responseOf } from "./exchange.ts";
import { firstHop, type Hop } from "./hop.ts";
import { HostRefused, hostRules } from "./host-rules.ts";
import { type NetworkBounds, type NetworkSettings, readBounds, systemResolve } from "./network-settings.ts";
import type { Routes } from "./open-routes.ts";
import { readProxies } from "./proxies.ts";
import { hostOf } from "./read-url.ts";

/**
 * The network access of one call: declared hosts alone, public addresses alone unless the host application names the
 * host, every redirect checked like a request of its own, everything bounded. `fetch` fails with a ToolFailure and with
 * nothing else.
 * @throws ToolkeepError `invalid_option` for settings that cannot be used.
 */
export function guardedNetwork(grant: Grant, settings: NetworkSettings = {}): Network {
  const { resolve = systemResolve, certificates } = settings;
  const bounds = readBounds(settings.bounds);
  const rules = hostRules({ privateHosts: settings.privateHosts, ports: settings.ports });
  const proxies = readProxies(settings.proxy);
  let opened: Promise<Routes> | undefined;

  /** Loaded and opened late, for most calls never use the network. */
  async function open(): Promise<Routes> {
    const [{ dialAddresses }, { openRoutes }] = await Promise.all([
      import("./guarded-connector.ts"),
      import("./open-routes.ts"),
    ]);
    const dial = dialAddresses(bounds.headersTimeoutMs, certificates);
    const routes = openRoutes({ rules, resolve, dial, bounds, proxies, certificates });
    if (grant.abortSignal.aborted) routes.close();
    else grant.abortSignal.addEventListener("abort", routes.close, { once: true });
    return routes;
  }

  async function visit(hop: Hop, { signal }: Deadline): Promise<Answer> {
    const host = hostOf(hop.url);
    grant.check(netFetch(host));
    try {
      rules.checkUrl(hop.url);
      opened ??= open();
      const { dispatcher, isProxied } = (await untilAborted(opened, signal)).to(hop.url);
      if (isProxied) await untilAborted(checkKnownAddresses(host), signal);
      return await exchange(dispatcher, hop, signal);
    } catch (error) {
      if (error instanceof HostRefused) grant.refuse(netFetch(host), error.reason);
      throw error;
    }
  }

  /** The proxy checks a name without an address here; others are checked as if this process connected to them. */
  async function checkKnownAddresses(host: string): Promise<void> {
    const known = await resolve(host).catch(() => []);
    for (const address of known) rules.checkAddress(host, address);
  }

  async function follow(first: Hop, deadline: Deadline, redirect: unknown): Promise<Answer> {
    if (redirect === "manual") return await visit(first, deadline);
    let hop = first;
    for (let redirects = 0; redirects <= bounds.maxRedirects; redirects += 1) {
      const answer = await visit(hop, deadline);
      const next = redirectOf(answer);
      if (next === undefined) return answer;
      hop = next;
    }
    const host = hostOf(first.url);
    throw new ToolFailure("unavailable", `${host} redirects more than ${bounds.maxRedirects} times.`);
  }

  return Object.freeze<Network>({
    async fetch(request) {
      const { maxBytes, timeoutMs } = loweredBounds(bounds, request);
      const first = firstHop(request, bounds.maxHeaderBytes);
      const deadline = startDeadline(grant.abortSignal, timeoutMs);
      try {
        return responseOf(await follow(first, deadline, request.redirect), maxBytes, deadline);
      } catch (error) {
        deadline.end();
        throw error;
      }
    },
  });
}

/** Checks settings before the first call. @throws ToolkeepError `invalid_option` for what cannot be used. */
export function checkNetworkSettings(settings: NetworkSettings = {}): void {
  readBounds(settings.bounds);
  readProxies(settings.proxy);
  hostRules(settings);
}

/** A request may lower a bound, and not raise it. @throws ToolFailure `invalid_arguments` for an invalid one. */
function loweredBounds(bounds: NetworkBounds, request: NetworkRequest): NetworkBounds {
  const { maxBytes = bounds.maxBytes, timeoutMs = bounds.timeoutMs } = request;
  if (!(maxBytes > 0) || !(timeoutMs > 0))
    throw new ToolFailure("invalid_arguments", "The bounds of a request are numbers above zero.");
  return {
    ...bounds,
    maxBytes: Math.min(Math.floor(maxBytes), bounds.maxBytes),
    timeoutMs: Math.min(timeoutMs, bounds.timeoutMs),
  };
}
