import { ToolFailure } from "@toolkeep/core";
import type { RunningCommand } from "@toolkeep/core/ports";
import { changesBetween, type FileStates } from "./file-changes.ts";
import type { KnownServer } from "./known-servers.ts";
import { LanguageServer } from "./language-server.ts";

const IDLE_MS = 10 * 60_000;
const MOST_RUNNING = 6;
const MOST_ENDS = 3;

/** Which server a call needs. */
export interface WantedServer {
  readonly known: KnownServer;
  readonly sessionId: string;
  readonly root: string;
  readonly line: string;
  /** The files of its languages, as they are now. */
  readonly files: FileStates;
  readonly signal: AbortSignal;
  start(): Promise<RunningCommand>;
}

interface Slot {
  server?: Promise<LanguageServer>;
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
      if (await isOver(slot)) slot.ends += 1;
      throw error;
    } finally {
      slot.users -= 1;
      if (slot.users === 0) slot.idle = setTimeout(() => void stop(slot), this.#idleMs);
    }
  }

  /** Stops the servers of all sessions. May be called again. */
  async close(): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    await Promise.all(slots.map(stop));
  }

  async #current(slot: Slot, wanted: WantedServer): Promise<LanguageServer> {
    if (slot.ends >= MOST_ENDS) throw endsAgain(wanted.known);
    const changes = changesBetween(slot.files, wanted.files);
    const isChanged = Object.values(changes).some((paths) => paths.length > 0);
    if ((isChanged && wanted.known.readsOnce === true && slot.users === 1) || (await isOver(slot)))
      await stop(slot);
    slot.files = wanted.files;
    if (slot.server === undefined) {
      await this.#makeRoom();
      slot.server ??= wanted.start().then((running) => LanguageServer.open(wanted.known, running, wanted));
      return slot.server;
    }
    const server = await slot.server;
    server.tell(changes);
    return server;
  }

  /** @throws ToolFailure `unavailable` if too many servers are in use. */
  async #makeRoom(): Promise<void> {
    const running = [...this.#slots.values()].filter(({ server }) => server !== undefined);
    if (running.length < MOST_RUNNING) return;
    const unused = running.find(({ users }) => users === 0);
    if (unused === undefined)
      throw new ToolFailure("unavailable", `${MOST_RUNNING} language servers are already in use.`);
    await stop(unused);
  }
}

async function isOver({ server }: Slot): Promise<boolean> {
  return (
    server?.then(
      ({ isOver }) => isOver,
      () => true,
    ) ?? false
  );
}

async function stop(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const { server } = slot;
  delete slot.server;
  await server?.then((running) => running.stop()).catch(() => {});
}

function endsAgain({ name, install }: KnownServer): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `${name} ended ${MOST_ENDS} times in a row and is not started again.`,
    {
      hint: `Install it anew: \`${install}\`. Then open a new session.`,
    },
  );
}
