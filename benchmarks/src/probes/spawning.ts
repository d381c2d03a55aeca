import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { startSpawner } from "@toolkeep/node/internal";
import { benchFolder } from "../host/with-io.ts";

/** Runs `true` through the spawner and directly: how long it took, and how long the event loop was blocked. */
export interface SpawnSample {
  readonly spawner: Held;
  readonly direct: Held;
}

interface Held {
  readonly milliseconds: number;
  readonly blocked: number;
}

const spawner = await startSpawner();
const folder = benchFolder();
const ballast = fill(Number(process.argv[2] ?? 0));
let made = 0;

process.on("message", async () => process.send?.(await sample()));
process.on("disconnect", async () => {
  await spawner.close();
  folder.remove();
  process.exit(ballast.length < 0 ? 1 : 0);
});
for (let round = 0; round < 5; round += 1) await sample();
process.send?.({ megabytes: process.memoryUsage.rss() / 1e6 });

async function sample(): Promise<SpawnSample> {
  return { spawner: await held(bySpawner), direct: await held(byOurselves) };
}

async function bySpawner(): Promise<void> {
  made += 1;
  const outputPath = join(folder.path, `${made}.out`);
  const command = { argv: ["/usr/bin/true"] as const, environment: {}, cwd: "/" };
  const started = await spawner.start({ command, streams: { outputPath, outputLimit: 1_000 } });
  await started.ended;
  rmSync(outputPath, { force: true });
}

async function byOurselves(): Promise<void> {
  await once(spawn("/usr/bin/true", { stdio: "ignore", env: {} }), "exit");
}

/** How long it took, and the longest time that the event loop was blocked. */
async function held(act: () => Promise<void>): Promise<Held> {
  const start = performance.now();
  const acting = act();
  const blocked = performance.now() - start;
  await acting;
  return { milliseconds: performance.now() - start, blocked };
}

/** Allocated pages. */
function fill(megabytes: number): readonly Uint8Array[] {
  return Array.from({ length: megabytes }, () => new Uint8Array(1e6).fill(1));
}
