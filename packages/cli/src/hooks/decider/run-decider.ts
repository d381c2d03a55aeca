import { globSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { claimSocket } from "./claim-socket.ts";
import { watchHeartbeat } from "./heartbeat.ts";
import { isPrivateFolder, stampOf, viewOfProcess } from "./run-folder.ts";
import { startMark } from "./start-decider.ts";
import { untilOver } from "./until-over.ts";

/** A main thread that is busy this long does not come back. No client waits for it any more. */
const BUSY_MS = 20_000;

export interface RunOptions {
  /** The path of the socket. */
  readonly path: string;
  /** The file of the program. */
  readonly program: string;
}

/** Runs the decider until it is idle or replaced. Returns the exit code. */
export async function runDecider({ path, program }: RunOptions): Promise<number> {
  const folder = dirname(path);
  if (!isPrivateFolder(folder)) return 1;
  process.umask(0o077);
  process.chdir(folder);
  const file = realpathSync(program);
  // Before the program is loaded: what is replaced from here on is noticed.
  const stamps = stampsOf(programFiles(file));
  const own = stampOf(file);
  const loaded = stamps();
  const { Decider } = await import("./decider.ts");
  let usedAt = Date.now();
  const decider = new Decider({
    ...{ home: folder, view: viewOfProcess(), program: own },
    used() {
      usedAt = Date.now();
    },
    // Its client has given up, and what it holds must become free.
    stuck: () => process.exit(1),
  });
  watchHeartbeat(BUSY_MS);
  const socket = await claimSocket(decider.server, path);
  rmSync(startMark(path), { force: true });
  if (socket === undefined) return 0;
  await untilOver({
    decider,
    socket,
    idleMs: () => Date.now() - usedAt,
    isReplaced: () => stamps() !== loaded,
  });
  await decider.close();
  return 0;
}

/** All code of ours is in the folder of the program. */
function programFiles(file: string): readonly string[] {
  const own = globSync(["*.js", "chunks/*.js"], { cwd: dirname(file) }).map((name) =>
    join(dirname(file), name),
  );
  return [file, ...own];
}

/** A file that is gone has no stamp. */
function stampsOf(files: readonly string[]): () => string {
  return () => {
    try {
      return files.map(stampOf).join("\n");
    } catch {
      return "";
    }
  };
}
