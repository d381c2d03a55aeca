import type { Session } from "@toolkeep/core";
import { ChatSlot, type SlotUser } from "./chat-slot.ts";

export interface ChatSessionParts {
  open(): Promise<Session>;
  /** Shared with whoever else may open the same chat. */
  readonly slot?: ChatSlot | undefined;
  /** How long the session stays open after its last call. `undefined`: until it is closed. */
  readonly idleMs: number | undefined;
}

/**
 * The session of a chat, open while it is needed. A server never learns when a request is over, so a session
 * that nobody uses is closed after a while, and opened again at the next call.
 */
export class ChatSession implements SlotUser {
  readonly #parts: ChatSessionParts;
  readonly #slot: ChatSlot;
  #session: Promise<Session> | undefined;
  #users = 0;
  #waiting: (() => void)[] = [];
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    this.#slot = parts.slot ?? new ChatSlot();
  }

  /** Works with the session. It stays open until the work is done. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await this.#slot.take(this);
    try {
      this.#session ??= this.#parts.open();
      return await work(await this.#session.catch((error: unknown) => this.#failed(error)));
    } finally {
      this.#leaveWork();
    }
  }

  /** Waits for the calls that run, and closes the session. It can be used again. */
  async close(): Promise<void> {
    await this.idle();
    await this.#slot.give(this);
  }

  get isIdle(): boolean {
    return this.#users === 0;
  }

  enter(): void {
    clearTimeout(this.#resting);
    this.#users += 1;
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async leave(): Promise<void> {
    clearTimeout(this.#resting);
    const session = this.#session;
    this.#session = undefined;
    // One that could not be opened has said so to whoever wanted it.
    await (await session?.catch(() => undefined))?.close();
  }

  #failed(error: unknown): never {
    this.#session = undefined;
    throw error;
  }

  #leaveWork(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
    const { idleMs } = this.#parts;
    if (idleMs === undefined) return;
    this.#resting = setTimeout(() => this.#slot.give(this).catch(() => {}), idleMs);
    // A program that is done need not wait for it. Browsers have no such thing.
    if (typeof this.#resting === "object") this.#resting.unref();
  }
}
