import type { Socket } from "node:net";

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

/** Tells first: the program does not continue before it is known. */
export function refuseSocket(socket: Socket, tell: () => void): void {
  tell();
  socket.on("error", () => {}).resetAndDestroy();
}

function lead(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on("error", () => to.destroy());
  from.once("close", (hadError) => (hadError ? to.destroy() : to.end()));
  from.pipe(to);
}
