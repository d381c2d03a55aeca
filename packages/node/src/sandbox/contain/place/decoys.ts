import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { type Decoy, RUNS, type RunMount } from "./place-protocol.ts";
import type { RunRecords } from "./run-records.ts";
import type { Watcher } from "./watcher-link.ts";

const MOST_DECOYS = 200;
const MOST_NAMES = { folder: 200, names: 20, file: 1 };
const DEEPEST = { folder: 3, names: 1, file: 0 };
/** Something to read, for the kernel tells of no read that finds nothing. */
const CONTENT = "\n";

/**
 * What runs are shown in the place of secrets and of sockets: names with nothing behind them, which tell who looks. `watch`:
 * who tells of looks at files.
 */
export function decoysOf(records: RunRecords, watch: Watcher["watch"]) {
  /** By their numbers; each path as the command sees it. */
  const watched = new Map<number, { readonly run: string; readonly path: string }>();
  const servers = new Map<string, Server[]>();

  async function tellOf(copy: string, run: string, path: string): Promise<void> {
    const number = await watch(copy);
    if (number < 0) throw new Error("decoys cannot be watched: there are too many watches");
    watched.set(number, { run, path });
  }

  function listen(name: string, run: string, path: string): Promise<void> {
    const server = createServer((socket) => {
      records.record(run, { kind: "socket", path });
      socket.on("error", () => {}).destroy();
    });
    servers.set(run, [...(servers.get(run) ?? []), server]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    server.listen(name, () => resolve());
    return promise;
  }

  return {
    /** @throws Error if there are too many, or one cannot be made. */
    async make(run: string, decoys: readonly Decoy[], folder: string): Promise<readonly RunMount[]> {
      if (decoys.length > MOST_DECOYS) throw new Error(`a run has at most ${MOST_DECOYS} decoys`);
      const made = decoys.map(async ({ path, kind }, index) => {
        const name = `${RUNS}/${run}/${index}`;
        if (kind === "socket") await listen(name, run, path);
        else {
          const copies = copyNames(name, path, DEEPEST[kind], { names: MOST_NAMES[kind] });
          await Promise.all(copies.map(([copy, seen]) => tellOf(join(folder, copy), run, seen)));
        }
        return { path, source: join(folder, name) };
      });
      return Promise.all(made);
    },
    looked(number: number): void {
      const { run, path } = watched.get(number) ?? {};
      if (path !== undefined) records.record(run, { kind: "secret", path });
    },
    drop(run: string): void {
      for (const server of servers.get(run) ?? []) server.close();
      servers.delete(run);
      for (const [number, one] of watched) if (one.run === run) watched.delete(number);
    },
  };
}

/** Copies the names of what is there, and tells what stands for what. */
function copyNames(
  copy: string,
  real: string,
  deeper: number,
  budget: { names: number },
): [string, string][] {
  if (deeper === 0) {
    writeFileSync(copy, CONTENT, { mode: 0o400 });
    return [[copy, real]];
  }
  mkdirSync(copy, { mode: 0o700 });
  const made: [string, string][] = [[copy, real]];
  // What watches them is told of a path on one line.
  const names = (unlessThrown(() => readdirSync(real)) ?? []).filter((name) => !/\p{Cc}/u.test(name));
  for (const name of names) {
    if (--budget.names < 0) break;
    const isFolder = lstatSync(join(real, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder && deeper === 1) continue;
    made.push(...copyNames(join(copy, name), join(real, name), isFolder ? deeper - 1 : 0, budget));
  }
  return made;
}
