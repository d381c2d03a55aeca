import { Worker } from "node:worker_threads";

const BEAT_MS = 1_000;

/**
 * Kills this process if its main thread is busy for this long: hooks that wait for it would wait in vain. Another
 * thread watches, because a timer of a busy thread does not run.
 */
export function watchHeartbeat(ms: number): void {
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
