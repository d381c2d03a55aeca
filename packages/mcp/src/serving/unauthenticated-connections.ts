import type { Socket } from "node:net";

/** Connections that have not sent a token yet. Their number is limited: the oldest is closed for the next. */
export class UnauthenticatedConnections {
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

  /** It has sent a valid token. */
  letIn(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
