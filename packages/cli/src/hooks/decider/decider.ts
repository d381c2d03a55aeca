import { createServer, type Server, type Socket } from "node:net";
import { HOOK_CLIENTS } from "../../clients/hook-call.ts";
import type { Project } from "../../project/read-project.ts";
import { runHook } from "../answer/run-hook.ts";
import { CallerQueue } from "./caller-queue.ts";
import { FrameReader, frameOf } from "./frames.ts";
import { HookWatch } from "./hook-watch.ts";
import { KeptStores } from "./kept-stores.ts";
import { type DeciderReply, type DeciderRequest, MOST_REQUEST_BYTES, PROTOCOL } from "./protocol.ts";

export interface DeciderOptions {
  /** The directory of the process while nothing is decided. */
  readonly home: string;
  /** Which files the paths of this process stand for, and its user and groups. */
  readonly view: string;
  /** The stamp of the program's file when it was loaded. */
  readonly program: string;
  /** Called after each request. */
  used(): void;
  /** A decision does not end. */
  stuck(): void;
}

/** More clients at once decide by themselves. */
const MOST_CONNECTIONS = 64;
/** A client sends its request at once. */
const SEND_MS = 5_000;
/** No client waits this long. */
const STUCK_MS = 20_000;

/** Decides about the requests of hook clients. */
export class Decider {
  readonly server: Server;
  readonly #queue: CallerQueue;
  readonly #stores = new KeptStores();
  readonly #watch = new HookWatch(this.#stores);
  readonly #options: DeciderOptions;

  constructor(options: DeciderOptions) {
    this.#options = options;
    this.#queue = new CallerQueue(options.home);
    this.server = createServer((socket) => this.#serve(socket));
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  /** Gives everything back that is kept between decisions. */
  close(): Promise<void> {
    this.#watch.close();
    return this.#stores.close();
  }

  #serve(socket: Socket): void {
    const reader = new FrameReader(MOST_REQUEST_BYTES);
    socket.setTimeout(SEND_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("data", (piece: Buffer) => {
      try {
        const [request] = reader.push(piece);
        if (request === undefined) return;
        socket.setTimeout(0);
        this.#answer(socket, request).catch(() => socket.destroy());
      } catch {
        socket.destroy();
      }
    });
  }

  async #answer(socket: Socket, request: unknown): Promise<void> {
    const reason = this.#refusal(request);
    if (reason !== undefined) send(socket, { kind: reason === "ping" ? "pong" : "refused", reason });
    else await this.#decide(socket, request as DeciderRequest);
    socket.end();
    this.#options.used();
  }

  /** Why the client has to decide by itself. */
  #refusal(request: unknown): string | undefined {
    const { ping, protocol, program, view, client, cwd, environment, text } = request as Partial<
      Record<string, unknown>
    >;
    if (ping === true) return "ping";
    if (protocol !== PROTOCOL || program !== this.#options.program) return "program";
    if (view !== this.#options.view) return "files";
    const isWhole =
      typeof cwd === "string" &&
      typeof text === "string" &&
      typeof environment === "object" &&
      environment !== null &&
      HOOK_CLIENTS.some((one) => one === client);
    return isWhole ? undefined : "request";
  }

  async #decide(socket: Socket, request: DeciderRequest): Promise<void> {
    const { cwd, environment, client, text, folder, policyFile } = request;
    let isAccepted = false;
    try {
      await this.#queue.run({ cwd, environment }, async () => {
        // A client that did not wait has decided by itself.
        if (socket.destroyed) return;
        isAccepted = true;
        send(socket, { kind: "accepted" });
        const timer = setTimeout(() => this.#options.stuck(), STUCK_MS);
        const projects: Project[] = [];
        const hook = { client, text, environment, folder, policyFile };
        const answer = await runHook(hook, this.#stores, (project) => projects.push(project));
        clearTimeout(timer);
        send(socket, { kind: "answer", answer });
        for (const project of projects) await this.#watch.add(client, project);
      });
    } catch {
      if (isAccepted) socket.destroy();
      else send(socket, { kind: "refused", reason: "directory" });
    }
  }
}

function send(socket: Socket, reply: DeciderReply): void {
  if (!socket.destroyed) socket.write(frameOf(reply));
}
