import type { HookAnswer } from "../../clients/hook-call.ts";
import { fs } from "../../terminal/builtin.ts";
import { blocked } from "../answer/blocked.ts";

const MOST_BYTES = 32_000_000;
const WRITE_MS = 5_000;
/** A client sends its input at once. */
const INPUT_MS = 10_000;

/** Blocks the call if its input does not end. */
export function inputDeadline(): Disposable {
  const timer = setTimeout(() => {
    process.exit(writeAnswer(blocked(`its input took longer than ${INPUT_MS / 1_000} seconds.`)));
  }, INPUT_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** The standard input; `undefined` if it is too large. */
export function readInput(): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    process.stdin.on("data", (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size > MOST_BYTES) resolve(undefined);
    });
    process.stdin.on("error", reject);
    process.stdin.on("end", () => resolve(Buffer.concat(pieces).toString("utf8")));
  });
}

/** Writes a whole answer, and returns the exit code: 2 if not all of it could be written. */
export function writeAnswer({ stdout, stderr, exitCode }: HookAnswer): number {
  try {
    writeWhole(1, stdout);
    writeWhole(2, stderr);
    return exitCode;
  } catch {
    return 2;
  }
}

/** A pipe that others have set to non-blocking is full until its reader has read. */
function writeWhole(file: number, text: string): void {
  const until = Date.now() + WRITE_MS;
  let rest = Buffer.from(text, "utf8");
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs().writeSync(file, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
