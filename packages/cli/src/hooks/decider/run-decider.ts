import { globSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { claimSocket, type OwnSocket } from "./claim-socket.ts";
import type { Decider } from "./decider.ts";
import { isPrivateFolder, stampOf, viewOfProcess } from "./run-folder.ts";
import { startMark } from "./start-decider.ts";

/** A main thread that is busy this long does not come back. No client waits for it any more. */
const BUSY_MS = 20_000;

export interface RunOptions {
  /** The path of the socket. */
  readonly path: string;
  /** The file of the program. */
  readonly program: string;
}

/** Runs the decider until it is idle or replaced. Returns the exit code. */
export async function runDecider({ path, program }: RunOptions): Promise<number> {
  const folder = dirname(path);
  if (!isPrivateFolder(folder)) return 1;
  process.umask(0o077);
  process.chdir(folder);
  const file = realpathSync(program);
  // Before the program is loaded: what is replaced from here on is noticed.
  const stamps = stampsOf(programFiles(file));
  const own = stampOf(file);
  const loaded = stamps();
  const { Decider } = await import("./decider.ts");
  let usedAt = Date.now();
  const decider = new Decider({
    ...{ home: folder, view: viewOfProcess(), program: own },
    used() {
      usedAt = Date.now();
    },
    // Its client has given up, and what it holds must become free.
    stuck: () => process.exit(1),
  });
  watchHeartbeat(BUSY_MS);
  const socket = await claimSocket(decider.server, path);
  rmSync(startMark(path), { force: true });
  if (socket === undefined) return 0;
  await untilOver({
    decider,
    socket,
    idleMs: () => Date.now() - usedAt,
    isReplaced: () => stamps() !== loaded,
  });
  await decider.close();
  return 0;
}

/** All code of ours is in the folder of the program. */
function programFiles(file: string): readonly string[] {
  const own = globSync(["*.js", "chunks/*.js"], { cwd: dirname(file) }).map((name) =>
    join(dirname(file), name),
  );
  return [file, ...own];
}

/** A file that is gone has no stamp. */
function stampsOf(files: readonly string[]): () => string {
  return () => {
    try {
      return files.map(stampOf).join("\n");
    } catch {
      return "";
    }
  };
}

const IDLE_MS = 10 * 60 * 1_000;
const LOOK_MS = 1_000;
/** One that has grown this large is replaced by a new one. */
const MOST_BYTES = 700_000_000;
/** No decision takes longer. */
const FINISH_MS = 20_000;

interface Life {
  readonly decider: Pick<Decider, "server">;
  readonly socket: OwnSocket;
  /** The time since the last request. */
  idleMs(): number;
  /** Whether the files of the program have changed. */
  isReplaced(): boolean;
}

/** Resolves when the decider has to end, and has answered every client that it has accepted. */
async function untilOver({ decider, socket, idleMs, isReplaced }: Life): Promise<void> {
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

const BEAT_MS = 1_000;

/** Kills this process if its main thread is busy for this long, and hooks wait in vain. A timer would not run then. */
function watchHeartbeat(ms: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(WORKER, { eval: true, workerData: { ms, beats }, execArgv: [], env: {} });
  worker.on("error", () => {});
  worker.unref();
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
}

const WORKER = `
const { workerData: { ms, beats } } = require("node:worker_threads");
let last = -1;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now === last) process.kill(process.pid, "SIGKILL");
  last = now;
}, ms);
`;
