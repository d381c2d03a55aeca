import { createServer, type Server, type Socket } from "node:net";
import { dialled, ownerOf } from "./host-listeners.ts";
import type { InsideLink } from "./inside-link.ts";
import { joinSockets, refuseSocket } from "./join-sockets.ts";
import type { RunRecords } from "./run-records.ts";
import type { SocketOwners } from "./socket-owner.ts";

const MOST_FORWARDED = 64;
const MOST_DECOYS = 256;
const FIRST_FORWARDED = 1_024;
const ADDRESSES = { 4: "127.0.0.1", 6: "::1" } as const;

interface Parts {
  readonly inside: InsideLink;
  readonly records: RunRecords;
  readonly owners: SocketOwners;
  /** What listens in the network of the user, and in that of the place. */
  listening(): Promise<readonly [outer: string, inner: string]>;
}

/** A port of one of the two loopback addresses, as text: `4 8000`. */
type LoopbackPort = string;

/**
 * What connects the loopback of a place and that of the user. What listens in the place is listened for outside, where
 * nothing else does. What listens outside has a decoy in the place, which tells who wants it and lets in who may.
 */
export class LoopbackPorts {
  readonly #parts: Parts;
  readonly #forwards = new Map<LoopbackPort, Server>();
  readonly #decoys = new Map<LoopbackPort, Server>();
  /** Where a process of the place listens and the user does, too: who may reach one could reach the other. */
  taken: ReadonlySet<number> = new Set();
  #looking: Promise<void> | undefined;
  #again: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at both, and resolves when what is seen now has its other side. */
  look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#lookNow().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking;
    }
    this.#again ??= this.#looking.then(() => {
      this.#again = undefined;
      return this.look();
    });
    return this.#again;
  }

  async #lookNow(): Promise<void> {
    const [outer, inner] = (await this.#parts.listening()).map(answeredIn) as [Answered, Answered];
    for (const port of this.#forwards.keys()) outer.delete(port);
    for (const port of this.#decoys.keys()) inner.delete(port);
    const numbers = (all: Answered) => new Set([...all].map((one) => partsOf(one).port));
    this.taken = numbers(outer).intersection(numbers(inner));
    closeOthers(this.#forwards, inner);
    closeOthers(this.#decoys, outer);
    const missing = (
      from: Set<LoopbackPort>,
      other: Set<LoopbackPort>,
      has: Map<LoopbackPort, Server>,
      most: number,
    ) => [...from.difference(other)].filter((port) => !has.has(port)).slice(0, Math.max(0, most - has.size));
    const toForward = missing(inner, outer, this.#forwards, MOST_FORWARDED).filter(
      (port) => partsOf(port).port >= FIRST_FORWARDED,
    );
    const toWatch = missing(outer, inner, this.#decoys, MOST_DECOYS);
    await Promise.all([
      ...toForward.map((one) => this.#forward(one)),
      ...toWatch.map((one) => this.#watch(one)),
    ]);
  }

  async #forward(at: LoopbackPort): Promise<void> {
    const { host, port } = partsOf(at);
    const server = createServer({ allowHalfOpen: true }, (socket) =>
      joinSockets(socket, () => this.#parts.inside.connect(host, port)),
    );
    const listening = Promise.withResolvers<boolean>();
    server.on("error", () => listening.resolve(false));
    server.listen({ host, port, ipv6Only: true }, () => listening.resolve(true));
    if (await listening.promise) this.#forwards.set(at, server);
  }

  async #watch(at: LoopbackPort): Promise<void> {
    const { host, port } = partsOf(at);
    const server = await this.#parts.inside.serve(host, port).catch(() => undefined);
    if (server === undefined) return;
    this.#decoys.set(at, server);
    server.on("connection", (socket) => this.#accept(socket, host, port));
  }

  #accept(socket: Socket, host: string, port: number): void {
    const { records, owners } = this.#parts;
    const run = ownerOf(socket, owners);
    if (records.mayReachLoopback(run, port)) joinSockets(socket, () => dialled({ host, port }));
    else refuseSocket(socket, () => records.record(run, { kind: "loopback", port }));
  }
}

function partsOf(at: LoopbackPort): { readonly host: string; readonly port: number } {
  const [family, port] = at.split(" ");
  return { host: family === "6" ? ADDRESSES[6] : ADDRESSES[4], port: Number(port) };
}

function closeOthers(servers: Map<LoopbackPort, Server>, still: Set<LoopbackPort>): void {
  for (const [port, server] of servers) {
    if (still.has(port)) continue;
    servers.delete(port);
    server.close();
  }
}

/** The addresses that the kernel lists, and the loopback addresses that they answer. */
const ANSWERED: Readonly<Record<string, readonly (4 | 6)[]>> = {
  "2:00000000": [4],
  "2:7f000001": [4],
  "10:00000000000000000000000000000000": [4, 6],
  "10:00000000000000000000000000000001": [6],
  "10:00000000000000000000ffff7f000001": [4],
};

type Answered = Set<LoopbackPort>;

function answeredIn(list: string): Answered {
  const found: Answered = new Set();
  for (const [, family, port, address = ""] of list.matchAll(/(\d+):(\d+):([\da-f]+)/g))
    for (const one of ANSWERED[`${family}:${family === "2" ? address.slice(0, 8) : address}`] ?? [])
      found.add(`${one} ${port}`);
  return found;
}
