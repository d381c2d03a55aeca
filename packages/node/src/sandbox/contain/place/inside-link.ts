import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as Datagrams } from "node:dgram";
import type { Server, Socket } from "node:net";
import { nodeFlags } from "./place-protocol.ts";

export interface InsideRequest {
  readonly id: number;
  readonly do: "names" | "serve" | "connect";
  readonly host: string;
  readonly port: number;
}

export interface InsideReply {
  readonly id: number;
  readonly error?: string;
  /** The process inside has closed what it handed over before. */
  readonly isClosed?: true;
}

const ANSWERED_WITHIN_MS = 10_000;

interface Asked extends PromiseWithResolvers<unknown> {
  handle?: unknown;
}

/** Sockets in the network of a place, opened by a process in it and used by this one. */
export class InsideLink {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  readonly lost: Promise<void>;

  constructor([enter, ...args]: readonly [string, ...string[]], program: string) {
    this.#child = spawn(enter, [...args, process.execPath, ...nodeFlags(32), program], {
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
    const asked: Asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    const request: InsideRequest = { id, do: what, host, port };
    this.#child.send(request, (error) => error && asked.reject(error));
    const timer = setTimeout(() => asked.reject(new Error("no answer")), ANSWERED_WITHIN_MS);
    return asked.promise.finally(() => clearTimeout(timer));
  }

  #receive({ id, error, isClosed }: InsideReply, handle: unknown): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    asked.handle ??= handle;
    if (error === undefined && isClosed === undefined) return;
    this.#asked.delete(id);
    if (asked.handle !== undefined) asked.resolve(asked.handle);
    else asked.reject(Object.assign(new Error(error ?? "no socket"), { code: error }));
  }
}
