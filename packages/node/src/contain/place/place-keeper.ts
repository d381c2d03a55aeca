/**
 * The process that keeps a place of a project: its namespaces and what runs in them end with it. It belongs to the
 * user, runs outside of the place, and answers clients on a socket in a folder that is the user's alone.
 */

import { chmodSync, closeSync, existsSync, mkdirSync, rmSync, writeSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { takeFileLock } from "../../owned-files/with-file-lock.ts";
import { inheritedFiles, statOf } from "../../processes/proc.ts";
import { messageReader } from "../../processes/spawner-protocol.ts";
import { startNamespaces } from "./namespaces.ts";
import {
  CONTROL,
  type KeeperSettings,
  lineOf,
  PLACE_VERSION,
  type PlaceReply,
  type PlaceRequest,
  RUNS,
} from "./place-protocol.ts";
import { countInside, processesOf } from "./processes-inside.ts";

const POLL_MS = 2_000;
const IDLE_MS = 30 * 60_000;

for (const descriptor of inheritedFiles()) if (descriptor > 2) closeSync(descriptor);
const settings = JSON.parse(process.argv[2] ?? "") as KeeperSettings;
// Paths of sockets have to be short: they are relative to it.
process.chdir(settings.folder);
process.umask(0o077);
/** Held until this process ends. */
const lock = takeFileLock("lock");
if (lock === undefined) leave("another");
await keepPlace().catch((error: Error) => leave(error.message.replaceAll(/\s+/g, " ")));

async function keepPlace(): Promise<void> {
  for (const stale of [CONTROL, RUNS]) rmSync(stale, { recursive: true, force: true });
  mkdirSync(RUNS);
  const namespaces = await startNamespaces(settings.programs);
  const { init, startedAt } = namespaces;
  const kept = new Map<number, number>();
  /** Who has begun each run that has not finished. */
  const open = new Map<string, Socket>();
  let wasKept = false;
  let idleSince = performance.now();
  const end = () => {
    namespaces.kill();
    rmSync(CONTROL, { force: true });
    process.exit(0);
  };
  void namespaces.lost.then(end);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, end);
  const timer = setInterval(look, POLL_MS);

  function look(): void {
    for (const [pid, started] of kept) if (statOf(pid)?.startedAt !== started) kept.delete(pid);
    if (!existsSync(CONTROL)) end();
    if (open.size > 0 || countInside(init) > 0) idleSince = performance.now();
    const isLeft = wasKept && kept.size === 0 && open.size === 0;
    if (isLeft || performance.now() - idleSince > IDLE_MS) end();
  }

  async function answer(request: PlaceRequest, from: Socket): Promise<PlaceReply> {
    const { id } = request;
    switch (request.do) {
      case "join":
        return {
          ...{ id, is: "joined" },
          place: { version: PLACE_VERSION, project: settings.project, init, startedAt },
        };
      case "keep":
        kept.set(request.pid, request.startedAt);
        wasKept = true;
        return { id, is: "done" };
      case "begin":
        open.set(request.run.id, from);
        return { id, is: "begun", mounts: [] };
      case "finish":
        open.delete(request.run);
        return { id, is: "finished", result: { wants: [], alive: processesOf(init) } };
      case "end":
        clearInterval(timer);
        setImmediate(end);
        return { id, is: "done" };
    }
  }

  const server = createServer((socket) => {
    const read = messageReader<PlaceRequest>((request) => {
      void answer(request, socket)
        .catch((error: Error): PlaceReply => ({ id: request.id, is: "refused", reason: error.message }))
        .then((reply) => socket.write(lineOf(reply)));
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
      for (const [run, owner] of open) if (owner === socket) open.delete(run);
    });
  });
  server.listen(CONTROL, () => {
    chmodSync(CONTROL, 0o600);
    say("ready");
  });
}

function say(line: string): void {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // Whoever started it is gone, and others may come.
  }
}

function leave(reason: string): never {
  say(reason);
  process.exit(1);
}
