import { spawn } from "node:child_process";
import { once } from "node:events";
import { isIP, type LookupFunction, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { errorCode } from "../../../files/file-failure.ts";
import { hostRules } from "../../../network/host-rules.ts";
import { systemResolve } from "../../../network/network-settings.ts";
import type { Proxies } from "../../../network/proxies.ts";
import { connectThrough, proxyTo } from "../../../network/proxy/through-proxy.ts";
import type { NamedAddress } from "./false-addresses.ts";
import { CONNECTED_WITHIN_MS, dialled, type Listening, serveGuarded } from "./join-sockets.ts";
import type { HostAndPort } from "./place-protocol.ts";

const MOST_LISTENERS = 512;

interface Parts extends Listening {
  /** The program `ip` with what lets it change the network of the place. */
  readonly ip: readonly [string, ...string[]];
  readonly proxies: Proxies;
}

/** Where the hosts that runs may reach are listened for in the place; each connection is made outside. */
export class HostListeners {
  readonly #parts: Parts;
  /** By address and port; also those that are only being opened. */
  readonly #servers = new Map<string, Promise<Server | undefined>>();
  readonly #ofRuns = new Map<string, Set<string>>();
  readonly #addresses = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** At the addresses of a name. `false` where another process listens. */
  async openName({ run, host, four, six }: NamedAddress): Promise<boolean> {
    const ports = this.#parts.records.portsOf(run, host);
    const serve = (address: string, port: number) => this.#serve(run, address, { host, port });
    const opened = ports.flatMap((port) => [serve(four, port), serve(six, port)]);
    return Promise.all(opened).then(
      () => true,
      () => false,
    );
  }

  /** At an address that was given as one. */
  async openAddress(run: string, { host, port }: HostAndPort): Promise<void> {
    if (isIP(host) === 0 || NEVER.test(host)) return;
    if (!this.#addresses.has(host)) {
      this.#addresses.add(host);
      await this.#ip("add", host);
    }
    await this.#serve(run, host, { host, port });
  }

  has(address: string, port: number): boolean {
    return this.#servers.has(keyOf(address, port));
  }

  /** What one run alone may reach. */
  drop(run: string): void {
    const own = this.#ofRuns.get(run) ?? new Set();
    this.#ofRuns.delete(run);
    for (const key of own) {
      if (this.#ofRuns.values().some((keys) => keys.has(key))) continue;
      this.#servers.get(key)?.then(
        (server) => server?.close(),
        () => {},
      );
      this.#servers.delete(key);
    }
    for (const address of this.#addresses) {
      if (this.#servers.keys().some((key) => key.startsWith(`${address} `))) continue;
      this.#addresses.delete(address);
      this.#ip("del", address).catch(() => {});
    }
  }

  async #serve(run: string, address: string, target: HostAndPort): Promise<void> {
    const key = keyOf(address, target.port);
    const own = this.#ofRuns.get(run) ?? new Set();
    this.#ofRuns.set(run, own.add(key));
    const isNew = !this.#servers.has(key) && this.#servers.size < MOST_LISTENERS;
    if (isNew) this.#servers.set(key, this.#open(address, target));
    await this.#servers.get(key);
  }

  async #open(address: string, { host, port }: HostAndPort): Promise<Server | undefined> {
    const { records, proxies } = this.#parts;
    const guarded = {
      ...{ host: address, port, want: { kind: "host", host, port, protocol: "tcp" } as const },
      mayReach: (run: string | undefined) => records.mayReach(run, host, port),
      dial: () => dialHost(host, port, proxies),
    };
    return serveGuarded(this.#parts, guarded).catch((error: unknown) => {
      if (errorCode(error) === "EADDRINUSE") throw error;
      return undefined;
    });
  }

  async #ip(what: "add" | "del", address: string): Promise<void> {
    const [program, ...args] = this.#parts.ip;
    const bits = isIP(address) === 4 ? 32 : 128;
    const nodad = what === "add" && bits === 128 ? ["nodad"] : [];
    const change = ["addr", what, `${address}/${bits}`, "dev", "lo", ...nodad];
    const child = spawn(program, [...args, ...change], { env: {}, cwd: "/", stdio: "ignore" });
    await once(child, "exit").catch(() => {});
  }
}

/** Addresses that are the place's own. */
const NEVER = /^(?:0\.|127\.|198\.1[89]\.|2(?:2[4-9]|[345]\d)\.|::|fd00:7001:|ff)/i;

function keyOf(address: string, port: number): string {
  return `${address} ${port}`;
}

/** Connects to a host that was allowed by this name; a name never leads to this machine. */
async function dialHost(host: string, port: number, proxies: Proxies): Promise<Socket> {
  const url = new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const proxy = proxyTo(url, proxies);
  if (proxy !== undefined) return connectThrough(proxy, url, CONNECTED_WITHIN_MS);
  if (isIP(host) !== 0) return dialled({ host, port });
  const rules = hostRules({ privateHosts: [`${host}:${port}`] });
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const all = (await systemResolve(host)).map((address) => ({ address, family: isIP(address) }));
  for (const { address } of all) {
    rules.checkAddress(host, address);
    if (own.includes(address) || /^(?:0\.|127\.|::)/.test(address)) throw new Error("it is this machine");
  }
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
  return dialled({ host, port, lookup });
}
