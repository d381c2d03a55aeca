import { terminalText } from "@toolkeep/core/internal";
import type { CommandOutcome, RunningCommand } from "@toolkeep/core/ports";

/** The output limit; a command that exceeds it is killed. */
const MOST_WRITTEN = 256 * 1_024 * 1_024;

/** A command that continues after the call that started it. Its output waits to be read. */
export class BackgroundCommand {
  readonly id: string;
  readonly sessionId: string;
  readonly #running: RunningCommand;
  readonly #unread = new UnreadOutput();
  readonly #over: Promise<void>;
  #written = 0;
  #outcome: CommandOutcome | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(sessionId: string, running: RunningCommand) {
    // Unique for all time: after a restart, an old id never names a new command.
    this.id = `bash_${crypto.randomUUID().slice(-12)}`;
    this.sessionId = sessionId;
    this.#running = running;
    this.#over = this.#follow();
  }

  /** How it ended; `undefined` while it runs. */
  get outcome(): CommandOutcome | undefined {
    return this.#outcome;
  }

  /** Takes the output since the last read. */
  read(most: number): UnreadPiece {
    return this.#unread.take(most, this.#outcome !== undefined);
  }

  /** Waits until there is output, the command ends, or the time is up. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#outcome !== undefined || !this.#unread.isEmpty || signal.aborted) return;
    const stop = Promise.withResolvers<void>();
    const timer = setTimeout(stop.resolve, milliseconds);
    const onAbort = () => stop.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#changed.promise, stop.promise]);
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }

  /** Kills the command and everything it started. Resolves when all of it is gone. */
  async stop(): Promise<void> {
    await this.#running.kill();
    await this.#over;
  }

  async #follow(): Promise<void> {
    // Input is closed: a command that waits for input sees its end.
    this.#running.stdin.close().catch(() => {});
    const { stdout, stderr, exited } = this.#running;
    // Awaited from the start: an error of the stream before the command ends must not go unhandled.
    const drained = Promise.allSettled([stdout, stderr].map((stream) => this.#pump(stream)));
    const outcome = await exited.catch((): CommandOutcome => ({ exitCode: null, stopped: LOST }));
    await drained;
    this.#outcome = this.#written > MOST_WRITTEN ? { ...outcome, stopped: TOO_MUCH } : outcome;
    this.#notify();
  }

  async #pump(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      this.#written += value.length;
      if (this.#written > MOST_WRITTEN) {
        await reader.cancel();
        return this.#running.kill();
      }
      this.#push(decoder.decode(value, { stream: true }));
    }
    this.#push(decoder.decode());
  }

  #push(text: string): void {
    if (text === "") return;
    this.#unread.push(text);
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const LOST = "Its exit status is unknown.";
const TOO_MUCH = `It wrote more than ${MOST_WRITTEN} bytes and was killed.`;

/** The most unread characters that are kept. */
const MOST_UNREAD = 1_000_000;

interface UnreadPiece {
  readonly text: string;
  /** The number of characters dropped unread since the last read. */
  readonly lost: number;
  /** Whether there is more to read. */
  readonly hasMore: boolean;
}

/** The output of a command since the last read. Drops the oldest when there is too much. */
export class UnreadOutput {
  #text = "";
  #lost = 0;

  get isEmpty(): boolean {
    return this.#text === "";
  }

  push(text: string): void {
    this.#text += text;
    // Not at every chunk: cutting copies.
    if (this.#text.length > 2 * MOST_UNREAD) this.#shorten();
  }

  /** Takes at most `most` characters from the start: whole lines if there are any. */
  take(most: number, isOver: boolean): UnreadPiece {
    this.#shorten();
    const end = this.#endOfPiece(most, isOver);
    const text = terminalText(this.#text.slice(0, end));
    const lost = this.#lost;
    this.#text = this.#text.slice(end);
    this.#lost = 0;
    return { text, lost, hasMore: this.#text.includes("\n") || (isOver && this.#text !== "") };
  }

  /** Keeps an incomplete line, so that no word is split. */
  #endOfPiece(most: number, isOver: boolean): number {
    const isWhole = this.#text.length <= most;
    if (isWhole && isOver) return this.#text.length;
    const lineEnd = this.#text.lastIndexOf("\n", most - 1) + 1;
    if (lineEnd > 0) return lineEnd;
    return isWhole ? this.#text.length : betweenCharacters(this.#text, most);
  }

  #shorten(): void {
    const excess = this.#text.length - MOST_UNREAD;
    if (excess <= 0) return;
    const start = betweenCharacters(this.#text, excess);
    this.#text = this.#text.slice(start);
    this.#lost += start;
  }
}

/** The same index, or the one before if it would split a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
