/**
 * The process that keeps a place of a project: its namespaces and what runs in them end with it. It belongs to the
 * user, runs outside of the place, and answers clients on a socket in a folder that is the user's alone.
 */

import { chmodSync, closeSync, mkdirSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { unlessThrown } from "@toolkeep/core/internal";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { takeFileLock } from "../../../owned-files/with-file-lock.ts";
import { inheritedFiles } from "../../../processes/proc.ts";
import { keptPlace } from "./kept-place.ts";
import { startNamespaces } from "./namespaces.ts";
import { CONTROL, type KeeperSettings, RUNS, SETTINGS } from "./place-protocol.ts";
import { PlaceRuns } from "./place-runs.ts";

const POLL_MS = 2_000;
const PORTS_MS = 250;

for (const descriptor of inheritedFiles()) if (descriptor > 2) closeSync(descriptor);
const settings = JSON.parse(process.env[SETTINGS] ?? "") as KeeperSettings;
// Paths of sockets have to be short: they are relative to it.
process.chdir(settings.folder);
process.umask(0o077);
const lock = takeFileLock("lock");
if (lock === undefined) leave("another");
// What nothing refers to any more is collected, and its lock with it.
process.once("exit", () => lock.close());
await keepPlace().catch((error: Error) => leave(error.message.replaceAll(/\s+/g, " ")));

async function keepPlace(): Promise<never> {
  for (const stale of [CONTROL, RUNS]) removeTree(stale);
  mkdirSync(RUNS);
  const namespaces = await startNamespaces(settings.programs, join(settings.folder, "lock"));
  const runs = new PlaceRuns(settings, namespaces);
  const end = (): never => {
    namespaces.kill();
    rmSync(CONTROL, { force: true });
    process.exit(0);
  };
  for (const lost of [namespaces.lost, runs.lost]) lost.then(end, end);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, end);
  const keeper = keptPlace(settings.project, namespaces, runs, end);
  setInterval(() => keeper.look(), POLL_MS);
  createServer((socket) => keeper.serve(socket)).listen(CONTROL, () => {
    chmodSync(CONTROL, 0o600);
    say("ready");
  });
  for (;;) {
    if (keeper.isBusy()) await runs.ports.look().catch(() => {});
    await wait(PORTS_MS);
  }
}

/** The client that started it may be gone, and others come. */
function say(line: string): void {
  unlessThrown(() => writeSync(1, `${line}\n`));
}

function leave(reason: string): never {
  say(reason);
  process.exit(1);
}
