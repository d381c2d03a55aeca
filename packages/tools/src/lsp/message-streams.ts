import type { RAL } from "vscode-jsonrpc";

/** What a server may send before the next request. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_BEGINNING = 500;

const NOTHING = { dispose() {} };
/** The end of a server is told by its process. */
const NO_EVENTS = { onClose: () => NOTHING, onError: () => NOTHING, onEnd: () => NOTHING };

/** What a server sends. */
export interface ServerOutput {
  readonly stream: RAL.ReadableStream;
  /** How it begins, where it is not the protocol: what a program says that does not speak it. */
  readonly beginning: () => string;
  /** A request was sent: what comes from now on is counted anew. */
  readonly allowMore: () => void;
}

/** Calls back, and reads nothing more, once there is too much of it. */
export function serverOutput(stdout: ReadableStream<Uint8Array>, onTooMuch: () => void): ServerOutput {
  let count = 0;
  let beginning = "";
  async function pump(listener: (data: Uint8Array) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stdout) {
      if (beginning.length < MOST_BEGINNING) beginning += decoder.decode(chunk, { stream: true });
      count += chunk.length;
      if (count > MOST_BYTES) return onTooMuch();
      listener(chunk);
    }
  }
  return {
    stream: {
      ...NO_EVENTS,
      onData(listener) {
        pump(listener).catch(() => {});
        return NOTHING;
      },
    },
    beginning: () => (beginning.startsWith("Content-") ? "" : beginning.slice(0, MOST_BEGINNING)),
    allowMore() {
      count = 0;
    },
  };
}

/** What a server is sent. */
export function serverInput(stdin: WritableStream<Uint8Array>): RAL.WritableStream {
  const writer = stdin.getWriter();
  const encoder = new TextEncoder();
  return {
    ...NO_EVENTS,
    write: (data: Uint8Array | string) =>
      writer.write(typeof data === "string" ? encoder.encode(data) : data),
    end: () => void writer.close().catch(() => {}),
  };
}

/** The last of what a program wrote, for the message that it ended. */
export function endOf(stream: ReadableStream<Uint8Array>): () => string {
  let end = "";
  async function pump(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream)
      end = (end + decoder.decode(chunk, { stream: true })).slice(-MOST_BEGINNING);
  }
  pump().catch(() => {});
  return () => end;
}
