import type { Socket } from "node:net";

const MOST_CONNECTIONS = 256;
let open = 0;

/** Leads what one end writes to the other, once there is an other end. Either is closed with the other. */
export async function joinSockets(one: Socket, dial: () => Promise<Socket>): Promise<void> {
  one.on("error", () => {});
  if (open >= MOST_CONNECTIONS) return void one.destroy();
  open += 1;
  one.once("close", () => {
    open -= 1;
  });
  try {
    const other = await dial();
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      from.setNoDelay(true);
      from.on("error", () => to.destroy());
      from.once("close", (hadError) => (hadError ? to.destroy() : to.end()));
      from.pipe(to);
    }
    if (one.destroyed) other.destroy();
  } catch {
    one.resetAndDestroy();
  }
}
