import type { Environment } from "../../clients/hook-call.ts";

/** The directory and the environment of a hook. */
export interface Caller {
  readonly cwd: string;
  readonly environment: Environment;
}

interface Waiting {
  readonly key: string;
  readonly caller: Caller;
  start(): void;
}

/**
 * Lets hooks decide in the directory and the environment of their caller, which belong to the whole process: those of
 * one caller run at the same time, those of another one wait until they are done. Nothing that reads a variable has to
 * know of it, so nothing can read the wrong one.
 */
export class CallerQueue {
  readonly #waiting: Waiting[] = [];
  readonly #home: string;
  #running = 0;
  #key = "";

  /** @param home The directory of the process while nothing runs. */
  constructor(home: string) {
    this.#home = home;
  }

  /** @throws Error if the directory of the caller cannot be entered. */
  async run<Result>(caller: Caller, decide: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ key: JSON.stringify([caller.cwd, caller.environment]), caller, start: resolve });
    this.#startNext();
    await promise;
    try {
      become(caller);
      return await decide();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) process.chdir(this.#home);
      this.#startNext();
    }
  }

  /** In the order in which they came, so that none waits for ever. */
  #startNext(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#running > 0 && next.key !== this.#key) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#key = next.key;
      next.start();
    }
  }
}

function become({ cwd, environment }: Caller): void {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && process.env[name] !== value) process.env[name] = value;
}
