import { createServer, type Server } from "node:net";
import { dialled, joinSockets, type Listening, serveGuarded } from "./join-sockets.ts";
import type { Watcher } from "./watcher-link.ts";

const MOST_FORWARDED = 64;
const MOST_DECOYS = 256;
const FIRST_FORWARDED = 1_024;

type Parts = Listening & Pick<Watcher, "listening">;

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
  #looked: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at both, one look after the other, and resolves when what is seen now has its other side. */
  look(): Promise<void> {
    this.#looked = this.#looked.catch(() => {}).then(() => this.#lookNow());
    return this.#looked;
  }

  async #lookNow(): Promise<void> {
    const [outer, inner] = (await this.#parts.listening()).map(answeredIn) as [Answered, Answered];
    for (const port of this.#forwards.keys()) outer.delete(port);
    for (const port of this.#decoys.keys()) inner.delete(port);
    const numbers = (all: Answered) => new Set([...all].map((one) => partsOf(one).port));
    this.taken = numbers(outer).intersection(numbers(inner));
    closeOthers(this.#forwards, inner);
    closeOthers(this.#decoys, outer);
    const missing = (from: Answered, other: Answered, has: ReadonlyMap<string, Server>, most: number) =>
      [...from.difference(other)].filter((at) => !has.has(at)).slice(0, Math.max(0, most - has.size));
    const toForward = missing(inner, outer, this.#forwards, MOST_FORWARDED);
    const toWatch = missing(outer, inner, this.#decoys, MOST_DECOYS);
    await Promise.all([
      ...toForward.filter((at) => partsOf(at).port >= FIRST_FORWARDED).map((at) => this.#forward(at)),
      ...toWatch.map((at) => this.#watch(at)),
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
    const mayReach = (run: string | undefined) => this.#parts.records.mayReachLoopback(run, port);
    const guarded = { ...{ host, port, mayReach }, want: { kind: "loopback", port } as const };
    const server = await serveGuarded(this.#parts, { ...guarded, dial: () => dialled({ host, port }) }).catch(
      () => undefined,
    );
    if (server !== undefined) this.#decoys.set(at, server);
  }
}

function partsOf(at: LoopbackPort) {
  const [family, port] = at.split(" ");
  return { host: family === "6" ? "::1" : "127.0.0.1", port: Number(port) };
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
