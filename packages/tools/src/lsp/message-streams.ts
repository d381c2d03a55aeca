import type { RAL } from "vscode-jsonrpc";

const NOTHING = { dispose() {} };
/** The end of a server is told by its process. */
const NO_EVENTS = { onClose: () => NOTHING, onError: () => NOTHING, onEnd: () => NOTHING };

/** What a server sends, as the protocol reads it. */
export function serverOutput(stdout: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void) {
  const onData: RAL.ReadableStream["onData"] = (listener) => {
    const write = (chunk: Uint8Array) => {
      for (const take of [onChunk, listener]) take(chunk);
    };
    stdout.pipeTo(new WritableStream({ write })).catch(() => {});
    return NOTHING;
  };
  return { ...NO_EVENTS, onData };
}

/** What a server is sent, as the protocol writes it. */
export function serverInput(stdin: WritableStream<Uint8Array>): RAL.WritableStream {
  const writer = stdin.getWriter();
  const bytesOf = (data: Uint8Array | string) =>
    typeof data === "string" ? new TextEncoder().encode(data) : data;
  return {
    ...NO_EVENTS,
    write: (data) => writer.write(bytesOf(data)),
    end() {
      writer.close().catch(() => {});
    },
  };
}
