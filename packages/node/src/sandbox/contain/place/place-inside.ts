/**
 * The process in the network of a place that opens sockets there for the keeper, and passes them on. Nothing in the
 * place can reach it: it has no address, and is in no process namespace but ours.
 */

import type { SendHandle } from "node:child_process";
import { createSocket } from "node:dgram";
import { createServer, Socket } from "node:net";
import type { InsideReply, InsideRequest } from "./inside-link.ts";

const CONNECTED_WITHIN_MS = 5_000;

process.on("disconnect", () => process.exit(0));
process.on("message", ({ id, do: what, host, port }: InsideRequest) => {
  const fail = (error: NodeJS.ErrnoException) => say({ id, error: error.code ?? "EUNKNOWN" });
  if (what === "names") {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.once("error", fail);
    socket.bind(port, host, () => hand(id, socket, (done) => socket.close(done)));
  } else if (what === "serve") {
    const server = createServer((early) => early.destroy());
    server.once("error", fail);
    server.listen({ host, port, ipv6Only: true }, () => hand(id, server, (done) => server.close(done)));
  } else {
    const socket = new Socket();
    // Nothing may be read here.
    socket.pause();
    socket.once("error", fail);
    socket.setTimeout(CONNECTED_WITHIN_MS, () => socket.destroy(new Error("ETIMEDOUT")));
    socket.connect({ host, port }, () => {
      socket.setTimeout(0);
      hand(id, socket, (done) => done());
    });
  }
});

/** Two processes that listen on one socket would share what comes: the keeper uses it when it is closed here. */
function hand(id: number, handle: SendHandle, close: (done: () => void) => void): void {
  say({ id }, handle, () => close(() => say({ id, isClosed: true })));
}

function say(reply: InsideReply, handle?: SendHandle, said?: () => void): void {
  process.send?.(reply, handle, {}, said);
}
