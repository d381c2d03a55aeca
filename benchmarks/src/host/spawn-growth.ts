import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SpawnSample } from "../probes/spawning.ts";
import { progress } from "../report.ts";

/** Milliseconds to run `true` from hosts of two sizes, and how long each spawn blocked their event loop. */
export interface SpawnGrowth {
  readonly small: readonly SpawnSample[];
  readonly large: readonly SpawnSample[];
  readonly smallMegabytes: number;
  readonly largeMegabytes: number;
}

/** The hosts alternate, so that both have the same noise. */
export async function spawnGrowth(rounds: number, ballastMegabytes: number): Promise<SpawnGrowth> {
  progress(`spawning from a small host and from one that holds ${ballastMegabytes} MB more`);
  const hosts = [host(0), host(ballastMegabytes)] as const;
  const [smallMegabytes, largeMegabytes] = await Promise.all(hosts.map(megabytesOf));
  const samples: [SpawnSample[], SpawnSample[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const index of [round % 2, (round + 1) % 2] as (0 | 1)[])
      samples[index].push(await sampleOf(hosts[index]));
  }
  for (const one of hosts) one.disconnect();
  return {
    small: samples[0],
    large: samples[1],
    smallMegabytes: smallMegabytes ?? 0,
    largeMegabytes: largeMegabytes ?? 0,
  };
}

function host(ballastMegabytes: number): ChildProcess {
  return fork(new URL("../probes/spawning.ts", import.meta.url), [String(ballastMegabytes)], {
    stdio: ["ignore", 2, 2, "ipc"],
  });
}

async function megabytesOf(child: ChildProcess): Promise<number> {
  const [{ megabytes }] = await once(child, "message");
  return megabytes;
}

async function sampleOf(child: ChildProcess): Promise<SpawnSample> {
  child.send("again");
  const [sample] = await once(child, "message");
  return sample;
}
