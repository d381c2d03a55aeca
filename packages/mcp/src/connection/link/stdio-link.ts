import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { unlessThrown } from "@toolkeep/core/internal";
import { type Link, MOST_MESSAGE_BYTES } from "./link.ts";
import type { ServerProcess } from "./server-process.ts";
import { UNASKED_REASON, unaskedLimit } from "./unasked-limit.ts";

const MOST_BAD_LINES = 100;

/** How much may be queued for a server that does not read. */
const MOST_UNREAD_BYTES = 4 * MOST_MESSAGE_BYTES;

const NEWLINE = 0x0a;

interface LineReader {
  /** @throws RangeError for a line above the limit. */
  read(chunk: Buffer): void;
}

/** JSON-RPC over the standard streams of a program, one message for each line. */
export class StdioLink implements Link {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  readonly #start: () => Promise<ServerProcess>;
  readonly #isBearable = unaskedLimit();
  readonly #reader = lineReader(MOST_MESSAGE_BYTES, (line) => this.#take(line));
  #process: ServerProcess | undefined;
  #error: ToolFailure | undefined;
  #end: string | undefined;
  #isClosed = false;
  #received = 0;
  #badLines = 0;

  constructor(start: () => Promise<ServerProcess>) {
    this.#start = start;
  }

  get error(): ToolFailure | undefined {
    return this.#error;
  }

  get received(): number {
    return this.#received;
  }

  /** The protocol library recognizes a program by these two properties, and treats its silence accordingly. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  get hasEnded(): boolean {
    return this.#isClosed;
  }

  async start(): Promise<void> {
    const process = await this.#start();
    this.#process = process;
    if (this.#isClosed) return process.end();
    process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    process.stdout.on("error", () => {});
    void process.ended.then((end) => {
      this.#end = end;
      this.#finish();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.#isClosed || stdin.destroyed) throw new Error("Not connected");
    if (stdin.writableLength > MOST_UNREAD_BYTES) {
      this.drop(dropped("It does not read its input."));
      throw new Error("Not connected");
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#finish();
    await this.#process?.end();
  }

  drop(error: ToolFailure): void {
    if (this.#isClosed) return;
    this.#error = error;
    this.#finish();
    this.#process?.end().catch(() => {});
  }

  abandon(): void {}

  lastMessage(): string {
    const tail = this.#process?.errorTail().trim() ?? "";
    const end = this.#end === undefined ? "" : `It ended with ${this.#end}.`;
    return [end, tail === "" ? "" : `Its last output: ${tail}`].filter((part) => part !== "").join(" ");
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#received += chunk.length;
    try {
      this.#reader.read(chunk);
    } catch {
      this.drop(
        new ToolFailure("too_large", `The server sent a message of more than ${MOST_MESSAGE_BYTES} bytes.`, {
          hint: "Request less, e.g. a part or a page.",
        }),
      );
    }
  }

  #take(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    const message = messageIn(line);
    if (message === undefined) {
      this.#countBad();
      return;
    }
    if ("method" in message && !this.#isBearable()) {
      this.drop(dropped(UNASKED_REASON));
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      this.#countBad();
    }
  }

  #countBad(): void {
    this.#badLines += 1;
    if (this.#badLines >= MOST_BAD_LINES)
      this.drop(dropped(`It sent ${MOST_BAD_LINES} lines that are not messages.`));
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  const value: unknown = unlessThrown(() => JSON.parse(line));
  const isMessage =
    typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
  return isMessage ? (value as JSONRPCMessage) : undefined;
}

function dropped(reason: string): ToolFailure {
  return new ToolFailure("unavailable", `The connection to the server was dropped. ${reason}`);
}

/** Splits a stream into lines, and never buffers more than one line of the limit. */
export function lineReader(mostBytes: number, take: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;

  function keep(part: Buffer): void {
    size += part.length;
    if (size > mostBytes) throw new RangeError(`A line has more than ${mostBytes} bytes.`);
    parts.push(part);
  }

  function finish(): string {
    const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line?.toString("utf8") ?? "";
  }

  return {
    read(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, end));
        from = end + 1;
        take(finish());
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
  };
}
