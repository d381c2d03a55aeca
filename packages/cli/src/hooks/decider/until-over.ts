import type { OwnSocket } from "./claim-socket.ts";
import type { Decider } from "./decider.ts";

const IDLE_MS = 10 * 60 * 1_000;
const LOOK_MS = 1_000;
/** One that has grown this large is replaced by a new one. */
const MOST_BYTES = 700_000_000;
/** No decision takes longer. */
const FINISH_MS = 20_000;

export interface Life {
  readonly decider: Pick<Decider, "server">;
  readonly socket: OwnSocket;
  /** The time since the last request. */
  idleMs(): number;
  /** Whether the files of the program have changed. */
  isReplaced(): boolean;
}

/** Resolves when the decider has to end, and has answered every client that it has accepted. */
export async function untilOver({ decider, socket, idleMs, isReplaced }: Life): Promise<void> {
  const isOver = () =>
    !socket.isThere() || isReplaced() || idleMs() > IDLE_MS || process.memoryUsage.rss() > MOST_BYTES;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (isOver()) end();
    }, LOOK_MS);
    const end = () => {
      clearInterval(timer);
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  });
  // First, so that the next client starts a new one.
  socket.remove();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FINISH_MS);
  decider.server.close(() => resolve());
  await promise;
  clearTimeout(timer);
}
