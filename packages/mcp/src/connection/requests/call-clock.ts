export interface ClockOptions {
  /** How long the server may be silent. */
  readonly idleMs: number;
  /** How long the call may take in total. */
  readonly longestMs: number;
  /** Called once. */
  expire(what: "idle" | "longest"): void;
}

/** The time limits of one call. Paused while the user is asked. */
export interface CallClock {
  /** A message arrived: the silence limit starts again. */
  received(): void;
  /** Each needs a matching `resume`. */
  pause(): void;
  resume(): void;
  stop(): void;
}

export function callClock({ idleMs, longestMs, expire }: ClockOptions): CallClock {
  let idleLeft = idleMs;
  let allLeft = longestMs;
  let runningSince = 0;
  let pauses = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let lastLook: NodeJS.Immediate | undefined;

  function run(): void {
    if (isStopped) return;
    runningSince = performance.now();
    const what = idleLeft < allLeft ? "idle" : "longest";
    timer = setTimeout(
      () => {
        // If this process was blocked, the answer may be here already. It is read before an immediate runs.
        lastLook = setImmediate(() => expire(what));
      },
      Math.max(0, Math.min(idleLeft, allLeft)),
    );
  }

  function clear(): void {
    clearTimeout(timer);
    clearImmediate(lastLook);
  }

  function halt(): void {
    clear();
    const passed = performance.now() - runningSince;
    idleLeft -= passed;
    allLeft -= passed;
  }

  run();
  return {
    received() {
      if (pauses > 0) {
        idleLeft = idleMs;
        return;
      }
      halt();
      idleLeft = idleMs;
      run();
    },
    pause() {
      if (pauses === 0) halt();
      pauses += 1;
    },
    resume() {
      pauses -= 1;
      if (pauses > 0) return;
      idleLeft = idleMs;
      run();
    },
    stop() {
      isStopped = true;
      clear();
    },
  };
}
