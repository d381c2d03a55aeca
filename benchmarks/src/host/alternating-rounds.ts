import { progress } from "../report.ts";

/** A task that runs outside of this process. */
export interface SlowTask {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Milliseconds of each task, one entry per round; in each round every task runs once. */
export async function alternatingRounds(
  tasks: readonly SlowTask[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map(tasks.map(({ name }) => [name, [] as number[]]));
  for (const { run } of tasks) await run();
  progress(`${rounds} rounds of ${tasks.map(({ name }) => name).join(", ")}`);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % tasks.length;
    for (const { name, run } of [...tasks.slice(first), ...tasks.slice(0, first)]) {
      const start = performance.now();
      await run();
      times.get(name)?.push(performance.now() - start);
    }
  }
  return times;
}
