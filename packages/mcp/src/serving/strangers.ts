import type { Socket } from "node:net";

/** Connections that have shown no token yet. Only so many are open at once: the oldest makes room for the next. */
export class Strangers {
  readonly #sockets = new Set<Socket>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  enter(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#sockets.size <= this.#most) return;
    const [oldest] = this.#sockets;
    oldest?.destroy();
  }

  /** It has shown one. */
  letIn(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
