import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { ContenderReady, ContenderRequest } from "./contender.ts";
import { progress } from "./report.ts";

/** A contender: a file that calls `serveContender`, run in its own process. */
export interface ContenderSpec {
  readonly name: string;
  readonly file: URL;
  readonly args?: readonly string[];
  readonly parallel?: number;
}

/** The measurements of one contender. */
export interface Measured {
  readonly name: string;
  readonly validates: boolean;
  readonly facts: Readonly<Record<string, number>>;
  /** Nanoseconds per call, one entry per round. */
  readonly rounds: readonly number[];
}

/** How long to measure. */
export interface MeasureOptions {
  readonly rounds: number;
  readonly sampleMilliseconds: number;
  readonly warmMilliseconds: number;
}

/**
 * Measures all contenders in one interleaved run: in each round every one gives a short sample, so
 * that all of them have the same noise. Only ratios within a round are compared.
 */
export async function measureInterleaved(
  specs: readonly ContenderSpec[],
  options: MeasureOptions,
): Promise<readonly Measured[]> {
  const started: Started[] = [];
  try {
    for (const spec of specs) {
      progress(`warming ${spec.name}`);
      const contender = await startContender(spec, []);
      started.push(contender);
      await request(contender, sampleRequest("warm", contender, options.warmMilliseconds));
    }
    progress(`${options.rounds} rounds`);
    for (let round = 0; round < options.rounds; round += 1) {
      // Each round starts with another contender, so that none always runs after the same one.
      const first = round % started.length;
      for (const contender of [...started.slice(first), ...started.slice(0, first)]) {
        const sample = sampleRequest("sample", contender, options.sampleMilliseconds);
        contender.rounds.push(await request(contender, sample));
      }
    }
    return started.map(({ spec, ready, rounds }) => ({ name: spec.name, ...ready, rounds }));
  } finally {
    for (const { child } of started) child.disconnect();
  }
}

/** Measures bytes allocated per call, in a fresh process that never collects garbage while counting. */
export async function measureBytes(spec: ContenderSpec, warmMilliseconds: number): Promise<number> {
  progress(`bytes of ${spec.name}`);
  const contender = await startContender(spec, ["--min-semi-space-size=64", "--max-semi-space-size=64"]);
  try {
    await request(contender, sampleRequest("warm", contender, warmMilliseconds));
    return await request(contender, { kind: "bytes" });
  } finally {
    contender.child.disconnect();
  }
}

interface Started {
  readonly spec: ContenderSpec;
  readonly child: ChildProcess;
  readonly ready: ContenderReady;
  readonly rounds: number[];
}

async function startContender(spec: ContenderSpec, flags: readonly string[]): Promise<Started> {
  // The output of a contender goes to stderr: stdout is for the report.
  const child = fork(spec.file, [...(spec.args ?? [])], {
    execArgv: ["--expose-gc", ...flags],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const ready = await nextMessage<ContenderReady>(spec, child);
  return { spec, child, ready, rounds: [] };
}

async function request({ spec, child }: Started, message: ContenderRequest): Promise<number> {
  child.send(message);
  return await nextMessage<number>(spec, child);
}

function sampleRequest(kind: "warm" | "sample", { spec }: Started, milliseconds: number): ContenderRequest {
  return { kind, milliseconds, parallel: spec.parallel ?? 1 };
}

async function nextMessage<Message>(spec: ContenderSpec, child: ChildProcess): Promise<Message> {
  const settled = new AbortController();
  const { signal } = settled;
  const message = once(child, "message", { signal }).then(([value]) => value as Message);
  const exit = once(child, "exit", { signal }).then(([code]): never => {
    throw new Error(`contender "${spec.name}" exited with ${code}`);
  });
  exit.catch(() => undefined);
  try {
    return await Promise.race([message, exit]);
  } finally {
    settled.abort();
  }
}
