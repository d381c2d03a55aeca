import { Worker } from "node:worker_threads";

/**
 * Kills this process at the deadline. A timer of the main thread does not run while a single expression keeps the
 * thread busy, and a client that waits too long may let the call pass. A worker thread waits, writes the reason and
 * kills: only the main thread can exit with a code. The commands that `install` writes treat every exit but success
 * as a denial.
 */
export function hardDeadline(ms: number, reason: string): Disposable {
  const worker = new Worker(WORKER, { eval: true, workerData: { ms, reason }, execArgv: [], env: {} });
  worker.unref();
  // Without a thread, the timer of the main thread still applies.
  worker.on("error", () => {});
  return { [Symbol.dispose]: () => void worker.terminate() };
}

const WORKER = `
const { workerData: { ms, reason } } = require("node:worker_threads");
setTimeout(() => {
  try { require("node:fs").writeSync(2, reason); } catch {}
  process.kill(process.pid, "SIGKILL");
}, ms);
`;
