import { ToolFailure } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import {
  openSpawnerLink,
  type SpawnedProcess,
  type SpawnerLink,
  type SpawnerOptions,
  type SpawnOrder,
} from "./spawner-link.ts";

/** A small process that starts others, so that this process need not be copied for each of them. */
export interface Spawner {
  /** Its process id; `undefined` while there is none. */
  readonly pid: number | undefined;
  /** @throws ToolFailure for what cannot be started, with the system's reason in its message. */
  start(order: SpawnOrder): Promise<SpawnedProcess>;
  /** Ends every process it started, and itself. */
  close(): Promise<void>;
}

/**
 * Starts the spawner. To be called early, while this process is small. One that died is started anew when it is next
 * needed; what it had started by then is ended and fails.
 * @throws ToolkeepError `invalid_option` if there are no process groups, or its program is missing.
 */
export async function startSpawner(options: SpawnerOptions = {}): Promise<Spawner> {
  if (process.platform === "win32")
    throw invalidOption("Commands need process groups, which Windows does not have.");
  let openMount = openSpawnerLink(options);
  let link: SpawnerLink = await openMount;
  let isClosed = false;

  /** Requests at the same time get the same one. */
  async function current(): Promise<SpawnerLink> {
    if (isClosed)
      throw new ToolFailure("unavailable", "Nothing can be started any more: the spawner is closed.");
    const known = openMount;
    const found = await known.catch(() => undefined);
    if (found?.isOpen !== true && known === openMount) openMount = openSpawnerLink(options);
    link = await openMount;
    return link;
  }

  return {
    get pid() {
      return link.isOpen ? link.pid : undefined;
    },
    start: async (order) => (await current()).start(order),
    async close() {
      isClosed = true;
      const last = await openMount.catch(() => undefined);
      await last?.close();
    },
  };
}
