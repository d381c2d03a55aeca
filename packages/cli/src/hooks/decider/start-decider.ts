import { spawn } from "node:child_process";
import { closeSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";

/** How long hooks wait for a decider that starts. Many of them that decide by themselves would take longer. */
const STARTING_MS = 4_000;
/** How long no other one is started, if it did not start. */
const FAILED_MS = 60_000;

export interface StartOptions {
  /** The path of the socket. */
  readonly path: string;
  readonly program: string;
}

/** The file that one hook makes, so that of many at once only one starts the decider. */
export function startMark(path: string): string {
  return `${path}.start`;
}

/** Starts the decider, unless another hook does. Returns how many milliseconds to wait for it; 0 if it does not start. */
export function startDecider(options: StartOptions): number {
  const mark = startMark(options.path);
  if (!isMade(mark)) {
    const age = ageOf(mark);
    if (age < FAILED_MS) return Math.max(0, STARTING_MS - age);
    unlinkSync(mark);
    if (!isMade(mark)) return STARTING_MS;
  }
  spawnDecider(options);
  return STARTING_MS;
}

function isMade(mark: string): boolean {
  try {
    closeSync(openSync(mark, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function ageOf(mark: string): number {
  const found = statSync(mark, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.abs(Date.now() - found.mtimeMs);
}

/** It stays for long and makes little garbage at a time: a large young generation would only stay in memory. */
const NODE_OPTIONS = "--max-semi-space-size=4 --max-old-space-size=384";

/** Without the environment of the hook: it may have secrets, and variables that change how Node runs. */
function spawnDecider({ path, program }: StartOptions): void {
  const child = spawn(process.execPath, [...process.execArgv, program, "decider", path], {
    cwd: dirname(path),
    env: { NODE_OPTIONS },
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {});
  child.unref();
}
