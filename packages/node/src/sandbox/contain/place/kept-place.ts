import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { statOf } from "../../../processes/proc.ts";
import { messageReader } from "../../../processes/spawner-protocol.ts";
import type { Namespaces } from "./namespaces.ts";
import { CONTROL, lineOf, PLACE_VERSION, type PlaceReply, type PlaceRequest } from "./place-protocol.ts";
import type { PlaceRuns } from "./place-runs.ts";
import { pidsInside, processesOf } from "./processes-inside.ts";

const IDLE_MS = 30 * 60_000;

/** A place as its clients see it: who has begun what in it, and who still needs it. */
export class KeptPlace {
  readonly #namespaces: Namespaces;
  readonly #runs: PlaceRuns;
  readonly #end: () => void;
  readonly #project: string;
  /** Processes that it is kept for, and when they started. */
  readonly #kept = new Map<number, number>();
  /** Clients that are connected: what they have joined they are about to use. */
  readonly #clients = new Set<Socket>();
  /** Who has begun each run that is not finished. */
  readonly #open = new Map<string, Socket>();
  /** Runs whose client is gone, and that end with it. */
  readonly #left = new Set<string>();
  #wasKept = false;
  #busyAt = performance.now();

  constructor(project: string, namespaces: Namespaces, runs: PlaceRuns, end: () => void) {
    this.#project = project;
    this.#namespaces = namespaces;
    this.#runs = runs;
    this.#end = end;
  }

  get isBusy(): boolean {
    return this.#open.size > 0 || pidsInside(this.#namespaces.init).length > 0;
  }

  /** Ends the place when no process needs it any more, or its folder is gone. */
  look(): void {
    for (const run of this.#left) this.#endRun(run);
    for (const [pid, started] of this.#kept) if (!isAlive(pid, started)) this.#kept.delete(pid);
    if (this.isBusy) this.#busyAt = performance.now();
    const isLeft = this.#wasKept && this.#kept.size === 0 && this.#clients.size === 0;
    if (isLeft || performance.now() - this.#busyAt > IDLE_MS || !existsSync(CONTROL)) this.#end();
    this.#runs.sweep();
  }

  serve(socket: Socket): void {
    this.#clients.add(socket);
    const read = messageReader<PlaceRequest>((request) => {
      this.#answer(request, socket).then(
        (reply) => socket.write(lineOf(reply)),
        (error: Error) => socket.write(lineOf(refusal(request, error))),
      );
    });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      try {
        read(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#clients.delete(socket);
      for (const [run, owner] of this.#open) if (owner === socket) this.#leave(run);
    });
  }

  async #answer(request: PlaceRequest, from: Socket): Promise<PlaceReply> {
    const { id } = request;
    switch (request.do) {
      case "join": {
        const { init, startedAt, network } = this.#namespaces;
        const isExact = network.startsWith("pair");
        const place = { version: PLACE_VERSION, project: this.#project, init, startedAt, isExact };
        return { id, is: "joined", place };
      }
      case "keep":
        this.#kept.set(request.pid, request.startedAt);
        this.#wasKept = true;
        return { id, is: "done" };
      case "begin": {
        const mounts = await this.#runs.begin(request.run);
        this.#open.set(request.run.id, from);
        if (from.destroyed) this.#leave(request.run.id);
        return { id, is: "begun", mounts };
      }
      case "finish":
        this.#open.delete(request.run);
        return { id, is: "finished", result: await this.#runs.finish(request.run) };
      case "end":
        setTimeout(this.#end, 10);
        return { id, is: "done" };
    }
  }

  /** The client that has begun it is gone. */
  #leave(run: string): void {
    this.#open.delete(run);
    this.#runs.records.finish(run);
    this.#left.add(run);
    this.#endRun(run);
  }

  /** What it writes from now on would not be decided about. One that is just being built is found later. */
  #endRun(run: string): void {
    if (!this.#runs.records.has(run)) this.#left.delete(run);
    for (const pid of processesOf(this.#namespaces.init, run)) endProcess(pid);
  }
}

function refusal({ id }: PlaceRequest, { message }: Error): PlaceReply {
  return { id, is: "refused", reason: message };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function isAlive(pid: number, startedAt: number): boolean {
  const stat = statOf(pid);
  return stat?.startedAt === startedAt && !stat.isDead;
}
