import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as Datagrams } from "node:dgram";
import type { Server, Socket } from "node:net";

export interface InsideRequest {
  readonly id: number;
  readonly do: "names" | "serve" | "connect";
  readonly host: string;
  readonly port: number;
  readonly withinMs: number;
}

interface InsideReply {
  readonly id: number;
  readonly error?: string;
  /** The process inside has closed what it handed over before. */
  readonly isClosed?: true;
}

const CONNECTED_WITHIN_MS = 5_000;

/** Sockets in the network of a place, opened by a process in it and used by this one. */
export class InsideLink {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #handles = new Map<number, unknown>();
  #lastId = 0;
  /** When it has ended. */
  readonly lost: Promise<void>;

  constructor(enterNetwork: readonly string[], program: string) {
    const [enter = "", ...args] = enterNetwork;
    const flags = [
      "--max-old-space-size=32",
      "--max-semi-space-size=1",
      "--disable-sigusr1",
      "--no-warnings",
    ];
    this.#child = spawn(enter, [...args, process.execPath, ...flags, program], {
      ...{ env: {}, cwd: "/", stdio: ["ignore", "ignore", "ignore", "ipc"] },
    });
    this.#child.on("message", (reply, handle) => this.#receive(reply as InsideReply, handle));
    const lost = Promise.withResolvers<void>();
    for (const event of ["error", "exit"]) this.#child.once(event, () => lost.resolve());
    this.lost = lost.promise;
  }

  /** Where names are asked for. */
  async names(host: string): Promise<Datagrams> {
    return (await this.#ask("names", host, 53)) as Datagrams;
  }

  async serve(host: string, port: number): Promise<Server> {
    const server = (await this.#ask("serve", host, port)) as Server & { allowHalfOpen: boolean };
    server.allowHalfOpen = true;
    return server.on("error", () => {});
  }

  async connect(host: string, port: number): Promise<Socket> {
    const socket = (await this.#ask("connect", host, port)) as Socket;
    socket.allowHalfOpen = true;
    return socket.on("error", () => {});
  }

  #ask(what: InsideRequest["do"], host: string, port: number): Promise<unknown> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const request: InsideRequest = { id, do: what, host, port, withinMs: CONNECTED_WITHIN_MS };
    this.#child.send(request, (error) => error && waiting.reject(error));
    const timer = setTimeout(() => waiting.reject(new Error("no answer")), 2 * CONNECTED_WITHIN_MS);
    return waiting.promise.finally(() => clearTimeout(timer));
  }

  #receive({ id, error, isClosed }: InsideReply, handle: unknown): void {
    if (error === undefined && isClosed === undefined) {
      this.#handles.set(id, handle);
      return;
    }
    const waiting = this.#waiting.get(id);
    const handed = this.#handles.get(id);
    this.#waiting.delete(id);
    this.#handles.delete(id);
    if (handed === undefined)
      waiting?.reject(Object.assign(new Error(error ?? "no socket"), { code: error }));
    else waiting?.resolve(handed);
  }
}
