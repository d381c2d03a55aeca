import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { unlessThrown } from "@toolkeep/core/internal";
import type { Namespaces } from "./namespaces.ts";
import {
  CONTROL,
  PLACE_VERSION,
  type PlaceAnswers,
  type PlaceRequest,
  readMessages,
  sendMessage,
} from "./place-protocol.ts";
import type { PlaceRuns } from "./place-runs.ts";
import { isRunning, pidsInside, processesOf } from "./processes-inside.ts";

const IDLE_MS = 30 * 60_000;

type PlaceAnswer = PlaceAnswers[PlaceRequest["do"]];

function answerAll(socket: Socket, answer: (request: PlaceRequest) => Promise<PlaceAnswer>): void {
  readMessages<PlaceRequest>(socket, (request) => {
    const { id } = request;
    answer(request).then(
      (given) => sendMessage(socket, { id, answer: given }),
      (error: Error) => sendMessage(socket, { id, refused: error.message }),
    );
  });
}

/** A place as its clients see it: who has begun what in it, and who still needs it. */
export function keptPlace(project: string, namespaces: Namespaces, runs: PlaceRuns, end: () => void) {
  const { init, startedAt } = namespaces;
  /** Processes that it is kept for, and when they started. */
  const kept = new Map<number, number>();
  /** Clients that are connected: what they have joined they are about to use. */
  const clients = new Set<Socket>();
  /** Who has begun each run that is not finished. */
  const open = new Map<string, Socket>();
  /** Runs whose client is gone, and that end with it. */
  const left = new Set<string>();
  let wasKept = false;
  let busyAt = performance.now();

  const isBusy = () => open.size > 0 || pidsInside(init).length > 0;

  /** What it writes from now on would not be decided about. One that is just being built is found later. */
  function endRun(run: string): void {
    if (!runs.records.has(run)) left.delete(run);
    for (const pid of processesOf(init, run)) unlessThrown(() => process.kill(pid, "SIGKILL"));
  }

  function leave(run: string): void {
    open.delete(run);
    runs.records.finish(run);
    left.add(run);
    endRun(run);
  }

  async function answer(request: PlaceRequest, from: Socket): Promise<PlaceAnswer> {
    switch (request.do) {
      case "join":
        return { version: PLACE_VERSION, project, init, startedAt };
      case "keep":
        wasKept = true;
        return void kept.set(request.pid, request.startedAt);
      case "begin": {
        const mounts = await runs.begin(request.run);
        open.set(request.run.id, from);
        if (from.destroyed) leave(request.run.id);
        return mounts;
      }
      case "finish":
        open.delete(request.run);
        return runs.finish(request.run);
      case "end":
        return void setTimeout(end, 10);
    }
  }

  return {
    isBusy,
    /** Ends the place when no process needs it any more, or its folder is gone. */
    look(): void {
      for (const run of left) endRun(run);
      for (const [pid, started] of kept) if (!isRunning(pid, started)) kept.delete(pid);
      if (isBusy()) busyAt = performance.now();
      const isLeft = wasKept && kept.size === 0 && clients.size === 0;
      if (isLeft || performance.now() - busyAt > IDLE_MS || !existsSync(CONTROL)) end();
      runs.sweep();
    },
    serve(socket: Socket): void {
      clients.add(socket);
      answerAll(socket, (request) => answer(request, socket));
      socket.once("close", () => {
        clients.delete(socket);
        for (const [run, owner] of open) if (owner === socket) leave(run);
      });
    },
  };
}
