import { ToolFailure } from "@toolkeep/core";
import type { Link } from "./link/link.ts";
import type { ConnectionChange, ConnectionStatus } from "./news/connection.ts";
import type { OpenedClient } from "./requests/open-client.ts";

export interface ReconnectOptions {
  readonly backoffMs: readonly number[];
  open(taken: (link: Link) => void): Promise<OpenedClient>;
  /** Called with every client that connected. */
  opened(client: OpenedClient): void;
  /** Why an attempt or a link ended, for the user. */
  reasonOf(error: unknown, link: Link | undefined): string;
}

/** A server that was connected for less time continues its backoff. */
const STEADY_MS = 10_000;

/** Keeps one server connected: attempts, waits, retries, and notifies. */
export class ReconnectLoop {
  readonly tried: Promise<void>;
  readonly #options: ReconnectOptions;
  readonly #watchers = new Set<(change: ConnectionChange) => void>();
  #status: ConnectionStatus = { state: "connecting", since: Date.now(), failures: 0 };
  #current: OpenedClient | undefined;
  #link: Link | undefined;
  #attempting: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #step = 0;
  #isClosed = false;
  #isFirst = true;

  constructor(options: ReconnectOptions) {
    this.#options = options;
    this.tried = this.#attempt();
    this.#attempting = this.tried;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  get current(): OpenedClient | undefined {
    return this.#current;
  }

  watch(tell: (change: ConnectionChange) => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  tell(change: ConnectionChange): void {
    for (const watcher of [...this.#watchers]) {
      try {
        watcher(change);
      } catch {
        // An error of a watcher must not end the connection.
      }
    }
  }

  /** Tries again at once, if it was refused. */
  async retry(): Promise<void> {
    if (this.#status.state === "refused") this.#attempting = this.#attempt();
    await this.#attempting;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#current = undefined;
      this.#set({ state: "closed", failures: 0 });
    }
    await this.#endLink();
    await this.#attempting;
  }

  async #attempt(): Promise<void> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst) this.#set({ state: "connecting", failures: this.#status.failures });
    try {
      // One link ends before the next begins: the same server never runs twice.
      await this.#endLink();
      if (this.#isClosed) return;
      this.#link = undefined;
      const opened = await this.#options.open((link) => this.#take(link));
      if (this.#isClosed) await opened.link.close();
      else this.#keep(opened, isFirst);
    } catch (error) {
      if (this.#isClosed) return;
      if (ToolFailure.isInstance(error) && error.code === "denied") this.#refuse(error);
      else this.#wait(this.#options.reasonOf(error, this.#link));
    }
  }

  async #endLink(): Promise<void> {
    this.#link?.abandon();
    await this.#link?.close().catch(() => {});
  }

  #take(link: Link): void {
    if (this.#isClosed) throw new Error("The connection was closed.");
    this.#link = link;
  }

  #keep(opened: OpenedClient, isFirst: boolean): void {
    this.#current = opened;
    const since = Date.now();
    opened.client.onclose = () => this.#lose(opened, since);
    this.#options.opened(opened);
    this.#set({ state: "ready", failures: 0 });
    if (!isFirst) this.tell("tools");
    if (opened.client.transport === undefined) this.#lose(opened, since);
  }

  #lose(opened: OpenedClient, since: number): void {
    if (this.#current !== opened) return;
    this.#current = undefined;
    if (Date.now() - since > STEADY_MS) this.#step = 0;
    const { error } = opened.link;
    if (error?.code === "denied") this.#refuse(error);
    else this.#wait(this.#options.reasonOf(error, opened.link));
  }

  #refuse(failure: ToolFailure): void {
    const reason = failure.hint === undefined ? failure.message : `${failure.message} ${failure.hint}`;
    this.#set({ state: "refused", reason, failures: this.#status.failures + 1 });
  }

  #wait(reason: string): void {
    const { backoffMs } = this.#options;
    const delay = backoffMs[Math.min(this.#step, backoffMs.length - 1)] ?? 0;
    this.#step += 1;
    const nextAttemptAt = Date.now() + delay;
    this.#set({ state: "waiting", reason, failures: this.#status.failures + 1, nextAttemptAt });
    // The timer does not keep an otherwise idle process alive.
    this.#timer = setTimeout(() => {
      this.#attempting = this.#attempt();
    }, delay).unref();
  }

  #set(status: Omit<ConnectionStatus, "since">): void {
    this.#status = Object.freeze({ ...status, since: Date.now() });
    this.tell("status");
  }
}
