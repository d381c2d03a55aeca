import { once } from "node:events";
import { connect, type LookupFunction, type Server, type Socket } from "node:net";
import type { InsideLink } from "./inside-link.ts";
import type { Want } from "./place-protocol.ts";
import type { RunRecords } from "./run-records.ts";
import type { SocketOwners } from "./socket-owner.ts";

/** What the place listens with for the sake of its runs. */
export interface Listening {
  readonly inside: InsideLink;
  readonly records: RunRecords;
  readonly owners: SocketOwners;
}

interface Guarded {
  /** Where it listens in the place. */
  readonly host: string;
  readonly port: number;
  mayReach(run: string | undefined): boolean;
  /** The other side, for a run that may reach it. */
  dial(): Promise<Socket>;
  /** What a run wants that may not. */
  readonly want: Want;
}

/**
 * Listens in the place and leads on those who may reach what stands behind it. The other end is looked up: addresses are
 * easy to guess.
 * @throws an error with the code of the system.
 */
export async function serveGuarded(
  { inside, records, owners }: Listening,
  { host, port, mayReach, dial, want }: Guarded,
): Promise<Server> {
  const server = await inside.serve(host, port);
  return server.on("connection", (socket) => {
    const run = owners.runOf(socket);
    if (mayReach(run)) return joinSockets(socket, dial);
    // Told first: the program does not continue before it is known.
    records.record(run, want);
    socket.on("error", () => {}).resetAndDestroy();
  });
}

const MOST_CONNECTIONS = 256;
let open = 0;

/** Leads what one end writes to the other, once there is an other end. Either is closed with the other. */
export function joinSockets(one: Socket, dial: () => Promise<Socket>): void {
  one.on("error", () => {});
  if (open >= MOST_CONNECTIONS) {
    one.destroy();
    return;
  }
  open += 1;
  one.once("close", () => {
    open -= 1;
  });
  const joined = (other: Socket) => {
    lead(one, other);
    lead(other, one);
    if (one.destroyed) other.destroy();
  };
  dial().then(joined, () => one.resetAndDestroy());
}

function lead(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on("error", () => to.destroy());
  from.once("close", (hadError) => (hadError ? to.destroy() : to.end()));
  from.pipe(to);
}

export const CONNECTED_WITHIN_MS = 30_000;

export async function dialled(to: { host: string; port: number; lookup?: LookupFunction }): Promise<Socket> {
  const socket = connect({ ...to, allowHalfOpen: true });
  socket.setTimeout(CONNECTED_WITHIN_MS, () => socket.destroy(new Error("there is no answer")));
  await once(socket, "connect");
  return socket.setTimeout(0);
}
