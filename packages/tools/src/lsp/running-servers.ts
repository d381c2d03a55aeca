import { ToolFailure } from "@toolkeep/core";
import type { RunningCommand } from "@toolkeep/core/ports";
import { changesBetween, type FileStates } from "./file-changes.ts";
import { LanguageServer } from "./language-server.ts";
import type { ServerEntry } from "./server-table.ts";

const IDLE_MS = 10 * 60_000;
const MOST_RUNNING = 6;
const MOST_ENDS = 3;

/** Which server a call needs. */
export interface WantedServer {
  readonly entry: ServerEntry;
  readonly sessionId: string;
  readonly root: string;
  readonly line: string;
  /** The file that it is asked about. */
  readonly path: string;
  /** The files that its answers depend on, as they are now. */
  readonly files: FileStates;
  readonly signal: AbortSignal;
  start(): Promise<RunningCommand>;
}

interface Slot {
  server?: Promise<LanguageServer> | undefined;
  files: FileStates;
  users: number;
  /** How often it ended in a row without an answer. */
  ends: number;
  idle?: ReturnType<typeof setTimeout>;
}

/** The language servers of sessions: one for each program and root, started on demand. Close it together with the tool. */
export class RunningServers {
  readonly #slots = new Map<string, Slot>();
  readonly #idleMs: number;

  constructor(idleMs: number = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** Uses a server that knows the files as they are now. */
  async use<Result>(wanted: WantedServer, act: (server: LanguageServer) => Promise<Result>): Promise<Result> {
    const key = JSON.stringify([wanted.sessionId, wanted.line, wanted.root]);
    const slot: Slot = this.#slots.get(key) ?? { files: new Map(), users: 0, ends: 0 };
    // The one that was used last is the last.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    clearTimeout(slot.idle);
    slot.users += 1;
    try {
      const result = await act(await this.#current(slot, wanted));
      slot.ends = 0;
      return result;
    } catch (error) {
      if ((await dropIfOver(slot)) && !wanted.signal.aborted) slot.ends += 1;
      throw error;
    } finally {
      slot.users -= 1;
      if (slot.users === 0 && slot.server !== undefined) slot.idle = setTimeout(stop, this.#idleMs, slot);
    }
  }

  /** Stops the servers of all sessions. May be called again. */
  async close(): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    await Promise.all(slots.map(stop));
  }

  async #current(slot: Slot, { entry, files, ...wanted }: WantedServer): Promise<LanguageServer> {
    if (slot.ends >= MOST_ENDS)
      throw new ToolFailure("unavailable", `${entry.name} ended ${MOST_ENDS} times in a row.`, {
        hint: `Install it anew: \`${entry.install}\`. Then open a new session.`,
      });
    const changes = changesBetween(slot.files, files);
    const isStale = entry.readsOnce === true && changes.length > 0;
    await dropIfOver(slot);
    if (isStale && slot.users === 1) await stop(slot);
    const { server } = slot;
    // A stale server that other calls use is restarted by a later call, which sees the changes then.
    if (!isStale || server === undefined) slot.files = files;
    if (server === undefined) await this.#stopSpare();
    const open = async () => LanguageServer.open(entry, await wanted.start(), wanted.root, wanted.signal);
    slot.server ??= open();
    const current = await slot.server;
    if (server !== undefined) current.tell(changes, wanted.path);
    return current;
  }

  async #stopSpare(): Promise<void> {
    const running = [...this.#slots.values()].filter(({ server }) => server !== undefined);
    const spare = running.find(({ users }) => users === 0) ?? running[0];
    if (spare !== undefined && running.length >= MOST_RUNNING) await stop(spare);
  }
}

/** Forgets a server that ended. True for the first caller that notices. */
async function dropIfOver(slot: Slot): Promise<boolean> {
  const { server } = slot;
  const isOver = await server?.then((one) => one.isOver).catch(() => true);
  if (isOver !== true || slot.server !== server) return false;
  slot.server = undefined;
  return true;
}

async function stop(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const { server } = slot;
  slot.server = undefined;
  await server?.then((running) => running.stop()).catch(() => {});
}
