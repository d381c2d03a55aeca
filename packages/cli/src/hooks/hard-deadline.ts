import { Worker } from "node:worker_threads";

/**
 * Ends this process at the deadline, whatever it does. A timer of the thread that decides says nothing while that
 * thread is busy with one expression, and a client that has waited too long may let the call pass. So a thread of its
 * own waits, says why, and kills: no thread but the first can end a process with a code. The commands that `install`
 * writes take every end but success for a denial.
 */
export function hardDeadline(ms: number, reason: string): Disposable {
  const worker = new Worker(WAITING, { eval: true, workerData: { ms, reason }, execArgv: [], env: {} });
  worker.unref();
  // A machine that gives no thread gives an answer all the same; the other timer is still there.
  worker.on("error", () => {});
  return { [Symbol.dispose]: () => void worker.terminate() };
}

const WAITING = `
const { workerData: { ms, reason } } = require("node:worker_threads");
setTimeout(() => {
  try { require("node:fs").writeSync(2, reason); } catch {}
  process.kill(process.pid, "SIGKILL");
}, ms);
`;
