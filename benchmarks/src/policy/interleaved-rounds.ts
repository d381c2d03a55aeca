import { progress } from "../report.ts";

/** A task to measure in this process. */
export interface Task {
  readonly name: string;
  /** Prepares this many runs outside of the measured time; the returned function runs inside of it. */
  prepare(runs: number): () => unknown;
}

export interface RoundOptions {
  readonly rounds: number;
  readonly sampleMilliseconds: number;
  readonly warmMilliseconds: number;
}

/**
 * Nanoseconds per run of each task, one entry per round. In each round every task gives a short sample,
 * so that all of them have the same noise. Only ratios within a round are compared.
 */
export function interleavedRounds(
  tasks: readonly Task[],
  { rounds, sampleMilliseconds, warmMilliseconds }: RoundOptions,
): ReadonlyMap<string, readonly number[]> {
  const measured = tasks.map((task) => {
    progress(`warming ${task.name}`);
    return { task, runs: runsIn(sampleMilliseconds, warm(task, warmMilliseconds)), times: [] as number[] };
  });
  progress(`${rounds} rounds`);
  for (let round = 0; round < rounds; round += 1) {
    // Each round starts with another task, so that no task always runs after the same one.
    const first = round % measured.length;
    for (const one of [...measured.slice(first), ...measured.slice(0, first)]) {
      one.times.push(sample(one.task, one.runs));
    }
  }
  return new Map(measured.map(({ task, times }) => [task.name, times]));
}

function warm(task: Task, milliseconds: number): number {
  let [spent, runs, perRun] = [0, 1, 0];
  while (spent < milliseconds * 1e6) {
    perRun = sample(task, runs);
    spent += perRun * runs;
    runs = Math.max(1, Math.min(runs * 2, runsIn(20, perRun)));
  }
  return perRun;
}

function runsIn(milliseconds: number, nanosecondsPerRun: number): number {
  return Math.max(1, Math.min(100_000, Math.round((milliseconds * 1e6) / nanosecondsPerRun)));
}

function sample(task: Task, runs: number): number {
  const run = task.prepare(runs);
  const start = process.hrtime.bigint();
  const outcome = run();
  const elapsed = Number(process.hrtime.bigint() - start);
  if (outcome === undefined) throw new Error(`${task.name} gave nothing`);
  return elapsed / runs;
}
