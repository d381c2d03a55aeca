import { isIPv6 } from "node:net";
import type { HostAndPort, RunRequest, Want } from "./place-protocol.ts";

const MOST_WANTS = 256;
const MOST_RUNS = 256;
const OTHERS: Want = { kind: "host", host: "others", port: 0, protocol: "tcp" };

interface RunRecord {
  readonly request: RunRequest;
  readonly wants: Map<string, Want>;
  isOpen: boolean;
}

/** What each run may reach, and what it wanted. A run stays known as long as its processes run. */
export class RunRecords {
  readonly #runs = new Map<string, RunRecord>();

  /** @throws Error for a run that there can be none of. */
  begin(request: RunRequest): void {
    if (!/^[\w-]{1,64}$/.test(request.id)) throw new Error("the name of the run is invalid");
    if (this.#runs.has(request.id)) throw new Error("there is such a run already");
    if (this.#runs.size >= MOST_RUNS) throw new Error("it has too many runs");
    const hosts = request.hosts.map(({ host, port }) => ({ host: canonical(host), port }));
    this.#runs.set(request.id, { request: { ...request, hosts }, wants: new Map(), isOpen: true });
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  get finished(): readonly string[] {
    return [...this.#runs].filter(([, { isOpen }]) => !isOpen).map(([id]) => id);
  }

  /** For everyone who may have been it, where it is not known who it was. */
  record(id: string | undefined, want: Want): void {
    const known = id === undefined ? undefined : this.#runs.get(id);
    const runs = known === undefined ? this.#runs.values().filter(({ isOpen }) => isOpen) : [known];
    for (const { wants } of runs) {
      // What is not listed any more may be worse than what is.
      const told = wants.size < MOST_WANTS || "path" in want ? want : OTHERS;
      wants.set(JSON.stringify(told), told);
    }
  }

  wantsOf(id: string): readonly Want[] {
    return [...(this.#runs.get(id)?.wants.values() ?? [])];
  }

  hostsOf(id: string): readonly HostAndPort[] {
    return this.#runs.get(id)?.request.hosts ?? [];
  }

  /** Ports of a host that a run may reach. */
  portsOf(id: string, host: string): readonly number[] {
    return this.hostsOf(id)
      .filter((one) => one.host === host)
      .map(({ port }) => port);
  }

  mayReach(id: string | undefined, host: string, port: number): boolean {
    return id !== undefined && this.portsOf(id, host).includes(port);
  }

  mayReachLoopback(id: string | undefined, port: number): boolean {
    return id !== undefined && (this.#runs.get(id)?.request.ports.includes(port) ?? false);
  }

  finish(id: string): void {
    const run = this.#runs.get(id);
    if (run !== undefined) run.isOpen = false;
  }

  drop(id: string): void {
    this.#runs.delete(id);
  }
}

function canonical(host: string): string {
  const bare = host.toLowerCase().replace(/^\[|\]$|\.$/g, "");
  return isIPv6(bare) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare;
}
